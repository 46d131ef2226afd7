# Debian packages: what is missing is installed, as root or by sudo; where neither is possible, said and left.

PACKAGES_BUILD="build-essential cmake ninja-build pkg-config musl-tools libuv1-dev libzstd-dev libxxhash-dev libsqlite3-dev"
PACKAGES_TEST="clang clang-format clang-tidy cppcheck valgrind fakeroot libcmocka-dev python3 strace ccache faketime dpkg-dev gcc-12-plugin-dev procps util-linux bsdutils acl"

install_missing() {
    local package missing=() apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0)
    command -v apt-get >/dev/null || return 0
    for package; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "not root, and no sudo: ${missing[*]} stay missing"; return 0; }
        apt=(sudo "${apt[@]}")
    fi
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && return 0
    "${apt[@]}" update >/dev/null 2>&1
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >/dev/null 2>&1 && return 0
    # one by one, so that a single name that this release lacks costs only itself
    for package in "${missing[@]}"; do
        "${apt[@]}" install --no-install-recommends "$package" >/dev/null 2>&1 || echo "can't install $package"
    done
}
