"""Runs a command as systemd would run it under a unit, as far as that goes without systemd: UNIT COMMAND...

Taken from the unit: its capabilities, NoNewPrivileges, the filter of system calls, limits, umask and OOMScoreAdjust.
"""
import ctypes
import os
import platform
import re
import resource
import struct
import subprocess
import sys

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 24, 38, 22, 2
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
EPERM = 1
LIBC = ctypes.CDLL(None, use_errno=True)


def settings(unit):
    found = {}
    for line in open(unit):
        name, is_setting, value = line.strip().partition("=")
        if is_setting and not name.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def constants(header, prefix):
    text = subprocess.run(["gcc", "-E", "-dM", "-include", header, "-x", "c", "/dev/null"],
                          check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in re.findall(rf"#define {prefix}(\w+) (\d+)\n", text)}


def calls(words):
    """The names behind groups like @mount, by systemd itself."""
    text = subprocess.run(["systemd-analyze", "--no-pager", "syscall-filter"],
                          check=True, capture_output=True, text=True).stdout
    groups, group = {}, None
    for line in text.splitlines():
        if line.startswith("@"):
            group = groups.setdefault(line.split()[0], [])
        elif line.strip() and not line.strip().startswith("#") and group is not None:
            group.append(line.strip())
    names, todo = set(), list(words)
    while todo:
        word = todo.pop()
        if word.startswith("@"):
            todo.extend(groups[word])
        else:
            names.add(word)
    return names


def program(numbers):
    def step(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)
    steps = [step(LOAD, 0, 0, 4), step(JUMP_IF_EQUAL, 1, 0, MACHINES[platform.machine()]), step(RETURN, 0, 0, KILL),
             step(LOAD, 0, 0, 0)]
    for number in sorted(numbers):
        steps += [step(JUMP_IF_EQUAL, 0, 1, number), step(RETURN, 0, 0, ALLOW)]
    return steps + [step(RETURN, 0, 0, ERRNO | EPERM)]


def control(*arguments):
    if LIBC.prctl(*[ctypes.c_ulong(argument) for argument in arguments]) != 0:
        sys.exit("prctl %s: %s" % (arguments, os.strerror(ctypes.get_errno())))


unit = settings(sys.argv[1])
allowed = {name.lower() for name in " ".join(unit["CapabilityBoundingSet"]).split()}
capabilities = constants("linux/capability.h", "CAP_")
numbers = constants("sys/syscall.h", "__NR_")
filtered = [numbers[name] for name in calls(" ".join(unit["SystemCallFilter"]).split()) if name in numbers]
last = int(open("/proc/sys/kernel/cap_last_cap").read())

for kind, name in ((resource.RLIMIT_CORE, "LimitCORE"), (resource.RLIMIT_NOFILE, "LimitNOFILE")):
    most = resource.getrlimit(kind)[1]
    limit = int(unit[name][-1])
    # More than this process may have is for systemd to give.
    resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most),) * 2)
os.umask(int(unit["UMask"][-1], 8))
for name, number in capabilities.items():
    if "cap_" + name.lower() not in allowed and number <= last and name != "LAST_CAP":
        control(PR_CAPBSET_DROP, number, 0, 0, 0)
assert unit["NoNewPrivileges"] == ["yes"] and unit["SystemCallErrorNumber"] == ["EPERM"]
control(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
steps = program(filtered)
code = ctypes.create_string_buffer(b"".join(steps))
# struct sock_fprog: how many, and where.
header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
control(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(header), 0, 0)
os.execvp(sys.argv[2], sys.argv[2:])
