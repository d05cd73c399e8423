"""Runs a program in a pseudo terminal, with standard input as keys: run_in_terminal.py COLUMNS PROGRAM ARGUMENT…"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

ROWS = 40
columns, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, int(columns), 0, 0))
    os.execvp(command[0], command)

keys = [0]
while True:
    readable, _, _ = select.select([terminal, *keys], [], [])
    if 0 in readable:
        typed = os.read(0, 1024)
        if typed:
            os.write(terminal, typed)
        else:
            keys.clear()
    if terminal in readable:
        try:
            output = os.read(terminal, 65536)
        except OSError:  # Linux reports the end of the program this way
            break
        if not output:
            break
        os.write(1, output)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
