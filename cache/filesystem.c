#include "cache/filesystem.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

enum place { LOCAL, REMOTE };

/* f_type as statfs(2) and linux/magic.h give them; spelled out because old kernel headers lack some. What is
 * in no row (FAT with its two seconds, say) is neither. */
static const struct {
    uint32_t type;
    enum place place;
} kinds[] = {
    {0xef53, LOCAL},      /* ext2, ext3, ext4 */
    {0x58465342, LOCAL},  /* xfs */
    {0x9123683e, LOCAL},  /* btrfs */
    {0x01021994, LOCAL},  /* tmpfs */
    {0x858458f6, LOCAL},  /* ramfs */
    {0x794c7630, LOCAL},  /* overlayfs */
    {0xf2f52010, LOCAL},  /* f2fs */
    {0x2fc12fc1, LOCAL},  /* zfs */
    {0xca451a4e, LOCAL},  /* bcachefs */
    {0x73717368, LOCAL},  /* squashfs */
    {0xe0f5e1e2, LOCAL},  /* erofs */
    {0x6969, REMOTE},     /* nfs */
    {0xff534d42, REMOTE}, /* cifs */
    {0xfe534d42, REMOTE}, /* smb2 */
    {0x517b, REMOTE},     /* smb */
    {0x01021997, REMOTE}, /* 9p */
    {0x65735546, REMOTE}, /* fuse */
    {0x00c36400, REMOTE}, /* ceph */
    {0x5346414f, REMOTE}, /* afs */
    {0x6b414653, REMOTE}, /* afs of the kernel */
    {0x0bd00bd0, REMOTE}, /* lustre */
    {0x786f4256, REMOTE}, /* VirtualBox's shared folders */
};

struct filesystem filesystem_of(int fd)
{
    struct filesystem filesystem = {false, false, false};
    struct statfs status;

    if (fstatfs(fd, &status) != 0)
        return filesystem;
    filesystem.read_only = (status.f_flags & ST_RDONLY) != 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == (uint32_t)status.f_type) {
            filesystem.local = kinds[i].place == LOCAL;
            filesystem.remote = kinds[i].place == REMOTE;
        }
    return filesystem;
}
