#include "spawn/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int open_slave(int master, uint32_t columns, uint32_t rows)
{
    char name[64];
    struct termios mode;
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};

    if (unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0)
        return -1;
    int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0)
        return -1;
    if (tcgetattr(slave, &mode) == 0) {
        mode.c_oflag &= ~(tcflag_t)OPOST;
        mode.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(slave, TCSANOW, &mode);
    }
    ioctl(slave, TIOCSWINSZ, &size);
    return slave;
}

int terminal_open(struct terminal *terminal, uint32_t columns, uint32_t rows)
{
    terminal->slave = -1;
    terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (terminal->master < 0)
        return -errno;
    terminal->slave = open_slave(terminal->master, columns, rows);
    if (terminal->slave < 0) {
        int error = -errno;
        close(terminal->master);
        terminal->master = -1;
        return error;
    }
    return 0;
}

void terminal_end_input(const struct terminal *terminal)
{
    static const char end_of_file = 'D' & 0x1f; /* termios(3), VEOF */

    if (write(terminal->master, &end_of_file, 1) != 1) {
        /* it reads nothing, or waits until it is ended */
    }
}
