"""Runs a command as systemd would run it under a unit, as far as that goes without systemd: UNIT[:DROP-IN] COMMAND...

Taken from the unit: its capabilities, NoNewPrivileges, the filter of system calls, limits, umask and OOMScoreAdjust; of
a drop-in what it takes of these, and which directories are read-only or hidden.
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


def settings(*files):
    found = {}
    for file in files:
        for line in open(file):
            name, is_setting, value = line.strip().partition("=")
            if is_setting and not name.startswith("#"):
                found.setdefault(name, []).append(value)
    return found


def words(unit, name):
    """Of a list what is left where later words begin with ~ and take away; and those that are taken away."""
    lists = unit[name]
    less = [line[1:].split() for line in lists if line.startswith("~")]
    return " ".join(line for line in lists if not line.startswith("~")).split(), [word for line in less for word in line]


MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, CLONE_NEWNS = 1, 32, 4096, 16384, 1 << 18, 0x20000


def mount(source, target, kind, flags):
    if LIBC.mount(source.encode(), target.encode(), kind, ctypes.c_ulong(flags), None) != 0:
        sys.exit("mount %s: %s" % (target, os.strerror(ctypes.get_errno())))


def is_below(path, directory):
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def hide(unit):
    """ProtectSystem=strict with ReadWritePaths, ProtectHome=yes, ProtectKernelTunables=yes (systemd.exec(5))."""
    assert unit["ProtectSystem"] == ["strict"] and unit["ProtectHome"] == unit["ProtectKernelTunables"] == ["yes"]
    if LIBC.unshare(CLONE_NEWNS) != 0:
        sys.exit("unshare: " + os.strerror(ctypes.get_errno()))
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    writable = [path for path in " ".join(unit["ReadWritePaths"]).split() if os.path.isdir(path)]
    for path in writable:
        mount(path, path, None, MS_BIND | MS_REC)
    # What is started may itself be in one of them.
    hidden = [path for path in ("/home", "/root", "/run/user")
              if os.path.isdir(path) and not is_below(os.path.realpath(sys.argv[2]), path)]
    for path in hidden:
        mount("tmpfs", path, b"tmpfs", MS_RDONLY)
    mount("/proc/sys", "/proc/sys", None, MS_BIND)
    for line in open("/proc/self/mountinfo").readlines():
        target = line.split()[4].replace("\\040", " ")
        is_kernels = any(is_below(target, path) for path in ("/dev", "/proc", "/sys")) \
            and target not in ("/proc/sys", "/sys")
        if not is_kernels and not any(is_below(target, path) for path in writable + hidden):
            mount("none", target, None, MS_REMOUNT | MS_BIND | MS_RDONLY)


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


files = sys.argv[1].split(":")
unit = settings(*files)
given, taken = words(unit, "CapabilityBoundingSet")
allowed = {name.lower() for name in given} - {name.lower() for name in taken}
capabilities = constants("linux/capability.h", "CAP_")
numbers = constants("sys/syscall.h", "__NR_")
given, taken = words(unit, "SystemCallFilter")
filtered = [numbers[name] for name in calls(given) - calls(taken) if name in numbers]
last = int(open("/proc/sys/kernel/cap_last_cap").read())

for kind, name in ((resource.RLIMIT_CORE, "LimitCORE"), (resource.RLIMIT_NOFILE, "LimitNOFILE")):
    most = resource.getrlimit(kind)[1]
    limit = int(unit[name][-1])
    # More than this process may have is for systemd to give.
    resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most),) * 2)
if len(files) > 1:
    hide(unit)
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
