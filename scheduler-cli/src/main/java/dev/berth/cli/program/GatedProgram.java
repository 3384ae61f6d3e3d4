package dev.berth.cli.program;

import dev.berth.cli.exit.Failure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A child of this command that waits at a gate: its number is known, its environment and its cores are set, and not one
 * instruction of the program has run. A shell waits for a line from a pipe and then becomes the program. When this command
 * ends before it opens the gate, the pipe does too, and the program never begins. Standard input, output and error, the
 * terminal and the process group are this command's.
 */
public final class GatedProgram {
    private static final String SHELL = "/bin/sh";
    private static final int NEVER_BEGAN = 125;
    private static final int CLOSE_ON_EXEC = 0x8_0000;
    private static final int FD_CLOEXEC = 1;
    private static final int F_SETFD = 2;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int FIRST_BEYOND_SHELLS = 10;
    private static final short SETSIGMASK = 8;

    /** More than any C library's structures of posix_spawn(3) take: 336 bytes and 80. */
    private static final long STRUCTURE_BYTES = 1024;

    private static final long SIGNAL_SET_BYTES = 128;
    private static final int CPU_SET_BYTES = 1024;
    private static final int SIGQUIT = 3;
    private static final int SIGNAL_BASE = 128;
    private static final int SIGNAL_MASK = 0x7f;

    private final CLibrary library;
    private final int gate;
    private final int pid;

    private GatedProgram(CLibrary library, int gate, int pid) {
        this.library = library;
        this.gate = gate;
        this.pid = pid;
    }

    public long pid() {
        return pid;
    }

    /**
     * The CPUs that the program has, and how much of them.
     *
     * @param cores those it keeps to, by the kernel's numbers; none for all
     * @param nice how much further than this command it stands back where others want them (nice(2))
     */
    public record Cpus(List<Integer> cores, int nice) {}

    /**
     * Starts one that waits. The calling thread keeps to the cores afterwards, and stands back as it does.
     *
     * @param cpus which CPUs it has
     * @param open what it may see of this command's open files
     */
    public static GatedProgram start(List<String> words, ProgramVariables environment, Cpus cpus, Descriptors open) {
        CLibrary library = new CLibrary();
        int number = open.free();
        if (number < 0) {
            throw Failure.berth(
                    "NO_DESCRIPTOR", "descriptors 3 to 9 are all open; close one, as in: berth run ... 9>&-");
        }
        try (Arena arena = Arena.ofConfined()) {
            if (!cpus.cores().isEmpty()) {
                keepTo(library, cpus.cores(), arena);
            }
            // It fails for nobody: only who wants to go ahead of others needs a right. Of this thread alone, as above.
            int _ = library.function("nice", CLibrary.INT).call(cpus.nice());
            MemorySegment ends = arena.allocate(ValueLayout.JAVA_INT, 2);
            must(library.function("pipe2", CLibrary.POINTER, CLibrary.INT).call(ends, CLOSE_ON_EXEC), "pipe2");
            int read = beyondShells(library, ends.getAtIndex(ValueLayout.JAVA_INT, 0));
            int write = ends.getAtIndex(ValueLayout.JAVA_INT, 1);
            keepToOurselves(library, open);
            int pid = spawn(library, arena, read, number, line(words, environment, number), environment.lines());
            library.function("close", CLibrary.INT).call(read);
            return new GatedProgram(library, write, pid);
        }
    }

    /** The line that the shell is told: to wait for a line, and to become the program. */
    private static List<String> line(List<String> words, ProgramVariables environment, int gate) {
        List<String> strange = environment.strangeLines();
        String script = "IFS= read -r _ <&" + gate + " || exit " + NEVER_BEGAN + "; exec " + gate + "<&-; exec \"$@\"";
        List<String> line = new ArrayList<>(List.of(SHELL, "-c", script, "berth run"));
        if (!strange.isEmpty()) {
            line.add("env");
            line.addAll(strange);
        }
        for (String word : words) {
            line.add(new String(word.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
        }
        return line;
    }

    private static int beyondShells(CLibrary library, int descriptor) {
        int moved = library.variadic("fcntl", 2, CLibrary.INT, CLibrary.INT, CLibrary.INT)
                .call(descriptor, F_DUPFD_CLOEXEC, FIRST_BEYOND_SHELLS);
        must(moved, "fcntl");
        library.function("close", CLibrary.INT).call(descriptor);
        return moved;
    }

    /** Java opens files and connections that a child would go on holding. */
    private static void keepToOurselves(CLibrary library, Descriptors open) {
        CLibrary.Function fcntl = library.variadic("fcntl", 2, CLibrary.INT, CLibrary.INT, CLibrary.INT);
        for (int number : Descriptors.open()) {
            if (number > 2 && !open.inherited().contains(number)) {
                fcntl.call(number, F_SETFD, FD_CLOEXEC);
            }
        }
    }

    private static int spawn(
            CLibrary library, Arena arena, int read, int number, List<String> line, List<String> environment) {
        MemorySegment actions = arena.allocate(STRUCTURE_BYTES, Long.BYTES);
        MemorySegment attributes = arena.allocate(STRUCTURE_BYTES, Long.BYTES);
        MemorySegment noSignals = arena.allocate(SIGNAL_SET_BYTES, Long.BYTES);
        MemorySegment pid = arena.allocate(ValueLayout.JAVA_INT);
        library.function("posix_spawn_file_actions_init", CLibrary.POINTER).call(actions);
        library.function("posix_spawn_file_actions_adddup2", CLibrary.POINTER, CLibrary.INT, CLibrary.INT)
                .call(actions, read, number);
        library.function("posix_spawnattr_init", CLibrary.POINTER).call(attributes);
        // The Java runtime holds signals back on its threads, and a child would inherit that.
        library.function("posix_spawnattr_setsigmask", CLibrary.POINTER, CLibrary.POINTER)
                .call(attributes, noSignals);
        library.function("posix_spawnattr_setflags", CLibrary.POINTER, ValueLayout.JAVA_SHORT)
                .call(attributes, SETSIGMASK);
        int error = library.function(
                        "posix_spawn",
                        CLibrary.POINTER,
                        CLibrary.POINTER,
                        CLibrary.POINTER,
                        CLibrary.POINTER,
                        CLibrary.POINTER,
                        CLibrary.POINTER)
                .call(
                        pid,
                        arena.allocateFrom(SHELL),
                        actions,
                        attributes,
                        strings(arena, line),
                        strings(arena, environment));
        must(-error, "posix_spawn");
        return pid.get(ValueLayout.JAVA_INT, 0);
    }

    private static MemorySegment strings(Arena arena, List<String> lines) {
        MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, lines.size() + 1L);
        for (int at = 0; at < lines.size(); at++) {
            pointers.setAtIndex(
                    ValueLayout.ADDRESS, at, arena.allocateFrom(lines.get(at), StandardCharsets.ISO_8859_1));
        }
        return pointers;
    }

    /** Of this thread alone (sched_setaffinity(2)); what it starts inherits it. */
    private static void keepTo(CLibrary library, List<Integer> cpus, Arena arena) {
        MemorySegment set = arena.allocate(CPU_SET_BYTES, Long.BYTES);
        for (int cpu : cpus) {
            int at = cpu / Byte.SIZE;
            byte before = set.get(ValueLayout.JAVA_BYTE, at);
            set.set(ValueLayout.JAVA_BYTE, at, (byte) (before | 1 << cpu % Byte.SIZE));
        }
        must(
                library.function("sched_setaffinity", CLibrary.INT, CLibrary.LONG, CLibrary.POINTER)
                        .call(0, (long) CPU_SET_BYTES, set),
                "sched_setaffinity");
    }

    private static void must(int answer, String call) {
        if (answer < 0) {
            throw Failure.berth(
                    "NOT_STARTED", "the program could not be started: " + call + " failed, error " + -answer);
        }
    }

    /** Lets it become the program. */
    public void open() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment line = arena.allocateFrom("\n");
            // One byte into an empty pipe neither blocks nor fails, but where the child is dead: then its end says so.
            library.function("write", CLibrary.INT, CLibrary.POINTER, CLibrary.LONG)
                    .call(gate, line, 1L);
        }
        close();
    }

    /** Lets it end without having begun. */
    public void abandon() {
        close();
        int _ = await();
    }

    private void close() {
        library.function("close", CLibrary.INT).call(gate);
    }

    /**
     * Keeps a SIGQUIT, which the terminal sends to the whole group, from making the Java runtime write down its threads in
     * the middle of the program's output. Ignored it must not be, as the program would inherit that: it is handled by a
     * function that does nothing and may be called at any time.
     */
    void hushQuit() {
        library.function("signal", CLibrary.INT, CLibrary.POINTER).call(SIGQUIT, library.address("getppid"));
    }

    /** Sends it a signal, by its number. */
    public void signal(int number) {
        library.function("kill", CLibrary.INT, CLibrary.INT).call(pid, number);
    }

    /** Waits for its end, once; its exit code, or 128 + n for signal n. */
    public int await() {
        CLibrary.Function waitpid = library.function("waitpid", CLibrary.INT, CLibrary.POINTER, CLibrary.INT);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(ValueLayout.JAVA_INT);
            int answer = waitpid.call(pid, status, 0);
            while (answer == -CLibrary.EINTR) {
                answer = waitpid.call(pid, status, 0);
            }
            must(answer, "waitpid");
            int word = status.get(ValueLayout.JAVA_INT, 0);
            int signal = word & SIGNAL_MASK;
            return signal == 0 ? word >> Byte.SIZE & 0xff : SIGNAL_BASE + signal;
        }
    }
}
