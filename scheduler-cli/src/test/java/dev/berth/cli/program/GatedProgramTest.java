package dev.berth.cli.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.program.GatedProgram.Cpus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that wait at their gate, with what they are started with and how they end. */
class GatedProgramTest {
    private static final Descriptors NONE = new Descriptors(Set.of());

    @TempDir
    private Path directory;

    private GatedProgram start(ProgramVariables environment, String... words) {
        return GatedProgram.start(List.of(words), environment, new Cpus(List.of(), 0), NONE);
    }

    private static ProgramVariables variables(String lines) {
        return ProgramVariables.of(lines.replace('\n', '\0').getBytes(StandardCharsets.ISO_8859_1));
    }

    private static int ended(GatedProgram program) {
        program.open();
        return program.await();
    }

    @Test
    void nothingOfAProgramRunsBeforeItsGateIsOpen() throws IOException {
        Path note = directory.resolve("note");
        GatedProgram program = start(variables("PATH=/usr/bin:/bin"), "sh", "-c", "echo $$ >" + note + "; exit 3");
        assertThat(ProcessRecord.of(program.pid()).parent())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(note).doesNotExist();

        assertThat(ended(program)).isEqualTo(3);

        assertThat(Files.readString(note).strip()).isEqualTo(Long.toString(program.pid()));
    }

    @Test
    void aProgramWhoseGateBreaksNeverBegins() {
        Path note = directory.resolve("note");
        GatedProgram program = start(variables("PATH=/usr/bin:/bin"), "touch", note.toString());

        program.abandon();

        assertThat(note).doesNotExist();
    }

    @Test
    void theEnvironmentIsWhatItWasByteForByteButForWhatIsSet() throws IOException {
        Path note = directory.resolve("note");
        ProgramVariables own =
                variables("PATH=/usr/bin:/bin\nBASH_FUNC_x%%=() { echo 1; }\nLATIN=\u00e9\nCUDA_VISIBLE_DEVICES=9\n"
                        + "OMP_NUM_THREADS=2\nEMPTY=");
        own.setIfAbsent(Map.of("OMP_NUM_THREADS", "4", "MKL_NUM_THREADS", "4"));
        own.set(Map.of("CUDA_VISIBLE_DEVICES", ""));

        assertThat(ended(start(own, "sh", "-c", "cat /proc/self/environ >" + note)))
                .isZero();

        String seen = new String(Files.readAllBytes(note), StandardCharsets.ISO_8859_1);
        assertThat(seen.split("\0"))
                .contains(
                        "PATH=/usr/bin:/bin",
                        "LATIN=\u00e9",
                        "CUDA_VISIBLE_DEVICES=",
                        "OMP_NUM_THREADS=2",
                        "MKL_NUM_THREADS=4",
                        "EMPTY=");
        assertThat(ended(start(
                        own,
                        "python3",
                        "-c",
                        "import os, sys; sys.exit(os.environ['BASH_FUNC_x%%'] != '() { echo 1; }')")))
                .isZero();
    }

    @Test
    void anEndBySignalIs128AndItsNumber() {
        GatedProgram program = start(variables("PATH=/usr/bin:/bin"), "sleep", "1000");
        program.open();
        program.signal(9);

        assertThat(program.await()).isEqualTo(137);
    }

    @Test
    void whatCannotRunEndsAsShellsSay() {
        assertThat(ended(start(variables("PATH=/usr/bin:/bin"), "/nowhere/program")))
                .isEqualTo(127);
        assertThat(ended(start(variables("PATH=/usr/bin:/bin"), "/etc/passwd"))).isEqualTo(126);
        assertThatThrownBy(() -> ProgramPath.check("no-such-program", "/usr/bin:/bin"))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.exitCode()).isEqualTo(127));
        assertThatThrownBy(() -> ProgramPath.check("/etc/passwd", null))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.exitCode()).isEqualTo(126));
        ProgramPath.check("sh", null);
        assertThatThrownBy(() -> ProgramPath.checkText("caf\uFFFD")).hasMessageContaining("is not UTF-8");
    }

    /** Starts on a thread of its own, which keeps to the CPUs as well. */
    private static int ended(String python, Cpus cpus) throws InterruptedException {
        AtomicInteger code = new AtomicInteger(-1);
        Thread thread = Thread.ofPlatform()
                .start(() -> code.set(ended(GatedProgram.start(
                        List.of("python3", "-c", "import os, sys; sys.exit(not (" + python + "))"),
                        variables("PATH=/usr/bin:/bin"),
                        cpus,
                        NONE))));
        thread.join();
        return code.get();
    }

    @Test
    void aProgramKeepsToItsCores() throws IOException, InterruptedException {
        int core = Integer.parseInt(Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .findFirst()
                .orElseThrow()
                .split("[:\\s,-]+")[1]);
        assertThat(ended("os.sched_getaffinity(0) == {%d}".formatted(core), new Cpus(List.of(core), 0)))
                .isZero();
    }

    @Test
    void aProgramStandsBackFurtherThanTheOneThatStartsIt() throws InterruptedException {
        String nice =
                "os.getpriority(os.PRIO_PROCESS, 0) == min(19, os.getpriority(os.PRIO_PROCESS, os.getppid()) + %d)";
        assertThat(ended(nice.formatted(7), new Cpus(List.of(), 7))).isZero();
        assertThat(ended(nice.formatted(0), new Cpus(List.of(), 0))).isZero();
    }
}
