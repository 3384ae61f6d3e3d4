package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.LocalCpus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The library and the program tell the same of the same machine, but how the GPUs are joined. */
class ReaderContractTest {
    private static final DriverTimeouts PATIENCE = new DriverTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(5));

    /** Numbers end below. */
    private static final long NO_PROCESS = 1L << 30;

    @TempDir
    private Path folder;

    /** A machine of three GPUs in some state. */
    record State(String words, Consumer<StandInNvml> change) {
        @Override
        public String toString() {
            return words;
        }
    }

    static Stream<State> states() {
        return Stream.of(
                new State("nothing happens", _ -> {}),
                new State("numbers", machine -> {
                    machine.set(0, "memory.used", "1000");
                    machine.set(0, "memory.reserved", "512");
                    machine.set(0, "utilization.gpu", "96");
                    machine.set(0, "temperature.gpu", "77");
                    machine.set(0, "power.draw", "251.37");
                    machine.set(1, "name", "NVIDIA RTX A6000");
                    machine.set(1, "display_active", "Enabled");
                    machine.set(2, "compute_mode", "Exclusive_Process");
                    machine.set(2, "driver_version", "535.10");
                }),
                new State("nothing is told", machine -> {
                    for (String column : List.of(
                            "memory.total",
                            "memory.used",
                            "utilization.gpu",
                            "temperature.gpu",
                            "power.draw",
                            "compute_mode",
                            "driver_version",
                            "minor")) {
                        machine.set(0, column, "[N/A]");
                    }
                }),
                new State("processes", machine -> {
                    machine.process(0, 4_711, 1_000);
                    machine.process(machine.id(0), 4_710, "G", "20");
                    machine.process(machine.id(0), 4_712, "C+G", "[N/A]");
                    machine.process(machine.id(2), 4_712, "M+C", "5");
                }),
                new State("contexts of processes that are there", machine -> {
                    machine.context(machine.id(0), ProcessHandle.current().pid(), 300);
                    machine.context(machine.id(0), NO_PROCESS, 300);
                    machine.process(machine.id(0), NO_PROCESS, "C", "20");
                    machine.context(
                            machine.mig(1, "1g.5gb").getFirst(),
                            ProcessHandle.current().pid(),
                            5);
                }),
                new State("MIG devices", machine -> {
                    List<GpuId> parts = machine.mig(1, "3g.20gb", "1c.3g.20gb");
                    machine.process(parts.getFirst(), 11, "C", "100");
                    machine.process(parts.getLast(), 12, "C", "[N/A]");
                }),
                new State("a gap in the MIG devices", machine -> {
                    machine.removeMig(
                            machine.mig(0, "1g.5gb", "1g.5gb", "2g.10gb").get(1));
                    List<GpuId> _ = machine.mig(1, "7g.40gb");
                }),
                new State("MIG without devices", machine -> machine.mig(2)),
                new State("indices swapped", machine -> machine.swap(0, 2)),
                new State("a GPU fewer", machine -> machine.removeGpu(0)),
                new State("a GPU more", StandInNvml::addGpu));
    }

    @ParameterizedTest
    @MethodSource("states")
    void bothTellTheSame(State state) {
        StandInNvml machine = new StandInNvml(folder, 3);
        state.change().accept(machine);
        try (GpuReader library = library(machine);
                GpuReader program = program(machine)) {
            GpuInventory told = library.inventory();
            GpuInventory printed = program.inventory();
            assertThat(printed.devices()).isEqualTo(told.devices()).isNotEmpty();
            assertThat(printed.driver()).isEqualTo(told.driver());
            assertThat(printed.cuda()).isEqualTo(told.cuda());
            assertThat(printed.warnings()).isEqualTo(told.warnings());
            assertThat(printed.topology().localCpus())
                    .isEqualTo(told.topology().localCpus())
                    .isNotEmpty();
            for (GpuDevice device : told.devices()) {
                GpuId gpu = device.gpu().id();
                assertThat(program.read(gpu)).isEqualTo(library.read(gpu));
                assertThat(program.processes(gpu)).isEqualTo(library.processes(gpu));
            }
        }
    }

    /** What happens to the second GPU, and what both say of it. */
    record Fault(GpuException.Kind kind, Consumer<StandInNvml> change) {
        @Override
        public String toString() {
            return kind.toString();
        }
    }

    static Stream<Fault> faults() {
        return Stream.of(
                new Fault(GpuException.Kind.LOST, machine -> machine.lost(1)),
                new Fault(GpuException.Kind.FAILED, machine -> machine.error(1, 999)),
                new Fault(GpuException.Kind.HUNG, machine -> machine.hang(1, Duration.ofSeconds(30))));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aGpuThatFailsIsTheSameForBothAndTakesNobodyAlong(Fault fault) {
        StandInNvml machine = new StandInNvml(folder, 3);
        try (GpuReader library = library(machine);
                GpuReader program = program(machine)) {
            for (GpuReader reader : List.of(library, program)) {
                reader.inventory();
            }
            fault.change().accept(machine);
            for (GpuReader reader : List.of(library, program)) {
                GpuException failure = catchThrowableOfType(GpuException.class, () -> reader.read(machine.id(1)));
                assertThat(failure.kind()).isEqualTo(fault.kind());
                assertThat(reader.read(machine.id(0)).processes()).isEmpty();
            }
            machine.well();
        }
    }

    /** nvidia-smi looks at all GPUs in turn, so that one that hangs is the end of all: see NvidiaSmiReaderTest. */
    static Stream<Fault> faultsThatAnswer() {
        return faults().filter(fault -> fault.kind() != GpuException.Kind.HUNG);
    }

    @ParameterizedTest
    @MethodSource("faultsThatAnswer")
    void aGpuThatFailsAtTheStartIsLeftOut(Fault fault) {
        StandInNvml machine = new StandInNvml(folder, 3);
        fault.change().accept(machine);
        try (GpuReader library = library(machine);
                GpuReader program = program(machine)) {
            assertThat(program.inventory().devices())
                    .isEqualTo(library.inventory().devices())
                    .hasSize(2);
            assertThat(library.inventory().warnings()).hasSize(1);
            assertThat(program.inventory().warnings()).hasSize(1);
        }
    }

    private GpuReader library(StandInNvml machine) {
        return NvmlReader.start(NvmlReader.load(machine.library().toString()), PATIENCE, sysfs());
    }

    private GpuReader program(StandInNvml machine) {
        return new NvidiaSmiReader(new NvidiaSmi(machine.nvidiaSmi().toString()), PATIENCE, sysfs());
    }

    private LocalCpus sysfs() {
        try {
            for (String bus : List.of("01", "02", "03", "04")) {
                Path device = folder.resolve("sys/bus/pci/devices/0000:" + bus + ":00.0");
                Files.writeString(Files.createDirectories(device).resolve("local_cpulist"), "0-3\n");
            }
            return new LocalCpus(folder.resolve("sys"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
