package dev.berth.server.gpu.occupy;

import static dev.berth.server.gpu.occupy.CsvGpus.FIRST;
import static dev.berth.server.gpu.occupy.GateStage.ATTEMPT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.server.gpu.occupy.ContainerOwners.Owner;
import dev.berth.server.gpu.process.RunningProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ours and others, by the containers that they are in. */
class GpuOccupantsTest {
    private static final String OURS = "0a".repeat(32);
    private static final String OTHERS = "0b".repeat(32);
    private static final String UNKNOWN = "0c".repeat(32);

    @TempDir
    private Path folder;

    @TempDir
    private Path proc;

    private CsvGpus gpus;
    private GpuOccupants look;
    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void open() {
        gpus = new CsvGpus(folder);
        look = new GpuOccupants(
                gpus, new RunningProcesses(proc, _ -> "alice"), this::home, List.of(), InstantSource.system());
    }

    private Optional<Owner> home(String id) {
        asked.add(id);
        if (id.equals(OURS)) {
            return Optional.of(new Owner("berth-x-17-1", ATTEMPT));
        }
        return id.equals(OTHERS) ? Optional.of(new Owner("lab", null)) : Optional.empty();
    }

    /** Known to the table of these tests; the file of the GPUs wants one that the machine has, too. */
    private void run(String group) throws IOException {
        long pid = ProcessHandle.current().pid();
        Path process = Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.writeString(process.resolve("stat"), pid + " (p) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0");
        Files.writeString(process.resolve("status"), "Uid:\t1000\t1000\t1000\t1000\n");
        Files.writeString(process.resolve("cgroup"), group);
        Files.writeString(process.resolve("cmdline"), "python\0train.py\0");
        gpus.put(FIRST, pid, "10");
    }

    @Test
    void whatRunsInAContainerOfOursIsOurs() throws IOException {
        run("0::/docker/" + OURS + "\n");
        assertThat(look.foreign(FIRST)).isEmpty();
        assertThat(look.of(ATTEMPT, look.inspect(FIRST))).hasSize(1);
        assertThat(look.foreign(FIRST)).isEmpty();
        assertThat(asked).as("asked once").containsExactly(OURS);
    }

    @Test
    void whatRunsInAnotherContainerIsNamedWithIt() throws IOException {
        run("0::/system.slice/docker-" + OTHERS + ".scope\n");
        assertThat(look.foreign(FIRST)).singleElement().satisfies(process -> {
            assertThat(process.program()).isEqualTo("python train.py in container lab");
            assertThat(process.sentence())
                    .contains(" of alice is on it")
                    .doesNotContain("python")
                    .doesNotContain("lab");
        });
        assertThat(look.of(ATTEMPT, look.inspect(FIRST))).isEmpty();
    }

    @Test
    void aContainerThatNobodyKnowsIsNamedByItsId() throws IOException {
        run("0::/machine.slice/libpod-" + UNKNOWN + ".scope\n");
        assertThat(look.foreign(FIRST))
                .singleElement()
                .satisfies(process -> assertThat(process.container()).isEqualTo("0c0c0c0c0c0c"));
    }

    @Test
    void whatCannotBeSeenIsForeign() {
        gpus.put(FIRST, ProcessHandle.current().pid(), "10");
        assertThat(look.foreign(FIRST))
                .singleElement()
                .satisfies(process -> assertThat(process.command()).isEmpty());
        assertThat(look.foreign(FIRST, gpus.processes(FIRST)))
                .as("what was seen a while ago has ended since")
                .isEmpty();
    }
}
