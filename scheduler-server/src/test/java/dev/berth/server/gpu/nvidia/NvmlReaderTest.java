package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuLink;
import dev.berth.core.place.GpuTopology;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuFault;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcess.Kind;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.LocalCpus;
import dev.berth.server.upkeep.BackgroundWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** NVIDIA's library as the stand-in plays it: what its GPUs are, how they fail, and what is said of it. */
class NvmlReaderTest {
    private static final DriverTimeouts SHORT = new DriverTimeouts(Duration.ofSeconds(1), Duration.ofMillis(300));
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long MIB = 1 << 20;

    @TempDir
    private Path folder;

    private StandInNvml machine;
    private final List<GpuReader> opened = new ArrayList<>();

    @BeforeEach
    void fourGpus() {
        machine = new StandInNvml(folder, 4);
    }

    @AfterEach
    void close() {
        // A call that hangs would keep the stand-in's thread for as long as it was told to hang.
        machine.well();
        opened.forEach(GpuReader::close);
    }

    private GpuReader reader() {
        return reader(DriverTimeouts.WITH_LIBRARY);
    }

    private GpuReader reader(DriverTimeouts patience) {
        GpuReader reader = NvmlReader.start(
                NvmlReader.load(machine.library().toString()), patience, new LocalCpus(folder.resolve("sys")));
        opened.add(reader);
        return reader;
    }

    private static void refused(ThrowingCallable call, GpuException.Kind kind, String sentence) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        GpuException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessage(sentence);
    }

    // ---- what there is --------------------------------------------------------------------------------------------

    @Test
    void theGpusAreListedInTheDriversOrder() {
        machine.set(1, "display_active", "Enabled");
        machine.set(2, "compute_mode", "Exclusive_Process");
        machine.set(3, "compute_mode", "Prohibited");

        GpuInventory inventory = reader().inventory();

        assertThat(inventory.driver()).isEqualTo("570.00");
        assertThat(inventory.cuda()).isEqualTo("12.8");
        assertThat(inventory.warnings()).isEmpty();
        assertThat(inventory.devices())
                .extracting(GpuDevice::gpu)
                .containsExactly(
                        new Gpu(machine.id(0), 0, "NVIDIA Stand-in 24GB", 24_576),
                        new Gpu(machine.id(1), 1, "NVIDIA Stand-in 24GB", 24_576),
                        new Gpu(machine.id(2), 2, "NVIDIA Stand-in 24GB", 24_576),
                        new Gpu(machine.id(3), 3, "NVIDIA Stand-in 24GB", 24_576));
        assertThat(inventory.devices())
                .extracting(
                        GpuDevice::pciBusId,
                        GpuDevice::minor,
                        GpuDevice::mig,
                        GpuDevice::computeMode,
                        GpuDevice::display)
                .containsExactly(
                        tuple("00000000:01:00.0", 0, null, GpuDevice.ComputeMode.DEFAULT, false),
                        tuple("00000000:02:00.0", 1, null, GpuDevice.ComputeMode.DEFAULT, true),
                        tuple("00000000:03:00.0", 2, null, GpuDevice.ComputeMode.EXCLUSIVE_PROCESS, false),
                        tuple("00000000:04:00.0", 3, null, GpuDevice.ComputeMode.PROHIBITED, false));
    }

    @Test
    void indicesSwappedOverARebootLeaveTheUuids() {
        machine.swap(0, 3);
        GpuReader reader = reader();
        machine.process(0, 4_711, 100);

        assertThat(reader.inventory().devices())
                .extracting(it -> it.gpu().id(), it -> it.gpu().index().physical(), GpuDevice::minor)
                .containsExactly(
                        tuple(machine.id(3), 0, 3),
                        tuple(machine.id(1), 1, 1),
                        tuple(machine.id(2), 2, 2),
                        tuple(machine.id(0), 3, 0));
        assertThat(reader.processes(machine.id(0))).extracting(GpuProcess::pid).containsExactly(4_711L);
    }

    @Test
    void gpusComeAndGoOverARestart() {
        assertThat(reader().inventory().devices()).hasSize(4);
        machine.removeGpu(1);
        assertThat(reader().inventory().devices())
                .extracting(it -> it.gpu().id(), it -> it.gpu().index().physical())
                .containsExactly(tuple(machine.id(0), 0), tuple(machine.id(2), 1), tuple(machine.id(3), 2));
        GpuId added = machine.addGpu();
        assertThat(reader().inventory().devices().getLast().gpu().id()).isEqualTo(added);
    }

    @Test
    void whatAGpuDoesNotTellIsNotKnown() {
        for (String column : List.of(
                "memory.total", "memory.used", "utilization.gpu", "temperature.gpu", "power.draw", "compute_mode")) {
            machine.set(0, column, "[N/A]");
        }
        machine.set(0, "minor", "[N/A]");
        machine.set(0, "driver_version", "[N/A]");
        GpuReader reader = reader();

        GpuInventory inventory = reader.inventory();

        assertThat(inventory.driver()).isNull();
        assertThat(inventory.warnings()).isEmpty();
        assertThat(inventory.devices().getFirst().gpu().memoryMiB()).isZero();
        assertThat(inventory.devices().getFirst().minor()).isEqualTo(-1);
        assertThat(reader.read(machine.id(0))).isEqualTo(new GpuReading(null, null, null, null, null, List.of()));
    }

    @Test
    void anOldDriverLacksFunctionsAndNothingElse(@TempDir Path other) {
        machine = StandInNvml.old(other, 2);
        machine.process(0, 4_711, 100);
        machine.set(0, "memory.used", "1000");
        machine.set(0, "memory.reserved", "500");
        GpuReader reader = reader();

        assertThat(reader.inventory().devices()).hasSize(2);
        assertThat(reader.inventory().warnings()).isEmpty();
        assertThat(reader.processes(machine.id(0))).containsExactly(new GpuProcess(4_711, Kind.COMPUTE, 100 * MIB));
        assertThat(reader.read(machine.id(0)).memoryUsedBytes())
                .as("with what the driver keeps for itself, as that is not told apart")
                .isEqualTo(1_500 * MIB);
    }

    @Test
    void migDevicesStandInThePlaceOfTheirGpu() {
        List<GpuId> parts = machine.mig(1, "3g.20gb", "1g.5gb");
        machine.process(parts.getFirst(), 11, "C", "100");
        machine.process(parts.getLast(), 12, "C", "[N/A]");
        GpuReader reader = reader();

        assertThat(reader.inventory().devices())
                .extracting(
                        it -> it.gpu().id(),
                        it -> it.gpu().index().toString(),
                        it -> it.gpu().name(),
                        GpuDevice::mig)
                .containsExactly(
                        tuple(machine.id(0), "0", "NVIDIA Stand-in 24GB", null),
                        tuple(
                                parts.getFirst(),
                                "1:0",
                                "NVIDIA Stand-in 24GB MIG 3g.20gb",
                                new GpuDevice.Mig(machine.id(1), "1/0")),
                        tuple(
                                parts.getLast(),
                                "1:1",
                                "NVIDIA Stand-in 24GB MIG 1g.5gb",
                                new GpuDevice.Mig(machine.id(1), "2/0")),
                        tuple(machine.id(2), "2", "NVIDIA Stand-in 24GB", null),
                        tuple(machine.id(3), "3", "NVIDIA Stand-in 24GB", null));
        assertThat(reader.read(parts.getFirst()))
                .isEqualTo(new GpuReading(
                        null, 10 * MIB, 4_864 * MIB, 30, 25_000, List.of(new GpuProcess(11, Kind.COMPUTE, 100 * MIB))));
        assertThat(reader.processes(parts.getLast())).containsExactly(new GpuProcess(12, Kind.COMPUTE, null));
        assertThat(reader.processes(machine.id(1))).hasSize(2);
    }

    @Test
    void aGpuInMigModeWithoutDevicesIsLeftOut() {
        machine.mig(1);
        GpuInventory inventory = reader().inventory();
        assertThat(inventory.devices())
                .extracting(it -> it.gpu().index().physical())
                .containsExactly(0, 2, 3);
        assertThat(inventory.warnings())
                .containsExactly("GPU 1 (" + machine.id(1) + ") is not allocated: it is in MIG mode and has no MIG"
                        + " device, so that nothing can run on it; make some (nvidia-smi mig -i 1 -cgi ... -C), or"
                        + " switch the mode off (nvidia-smi -i 1 -mig 0)");
    }

    @Test
    void linksAreThoseOfTheDriver() {
        machine.link(0, 1, "PIX", 4);
        machine.link(0, 2, "NODE", 0);
        machine.link(1, 2, "PXB", 0);
        machine.switched(2, 12);
        machine.switched(3, 8);

        GpuTopology topology = reader().inventory().topology();

        assertThat(topology.between(machine.id(0), machine.id(1))).isEqualTo(new GpuLink(4, GpuLink.Path.SWITCH));
        assertThat(topology.between(machine.id(1), machine.id(2))).isEqualTo(new GpuLink(0, GpuLink.Path.SWITCHES));
        assertThat(topology.between(machine.id(0), machine.id(2))).isEqualTo(new GpuLink(0, GpuLink.Path.NODE));
        assertThat(topology.between(machine.id(3), machine.id(2))).isEqualTo(new GpuLink(8, GpuLink.Path.SYSTEM));
        assertThat(topology.between(machine.id(0), machine.id(3))).isEqualTo(new GpuLink(0, GpuLink.Path.SYSTEM));
    }

    @Test
    void partsAreJoinedAsTheirGpusAre() {
        machine.link(0, 1, "PHB", 2);
        List<GpuId> parts = machine.mig(1, "3g.20gb", "3g.20gb");
        GpuTopology topology = reader().inventory().topology();
        assertThat(topology.between(parts.getFirst(), parts.getLast()))
                .isEqualTo(new GpuLink(0, GpuLink.Path.INTERNAL));
        assertThat(topology.between(parts.getLast(), machine.id(0)))
                .isEqualTo(new GpuLink(2, GpuLink.Path.HOST_BRIDGE));
    }

    @Test
    void theCoresNearAGpuAreThoseOfTheKernel() throws IOException {
        Path device = Files.createDirectories(folder.resolve("sys/bus/pci/devices/0000:02:00.0"));
        Files.writeString(device.resolve("local_cpulist"), "0-2,8\n");
        assertThat(reader().inventory().topology().localCpus())
                .containsOnlyKeys(machine.id(1))
                .containsEntry(machine.id(1), List.of(0, 1, 2, 8));
    }

    // ---- how it is ------------------------------------------------------------------------------------------------

    @Test
    void aReadingIsOfNow() {
        GpuReader reader = reader();
        reader.inventory();
        machine.set(0, "memory.used", "1000");
        machine.set(0, "memory.reserved", "500");
        machine.set(0, "utilization.gpu", "96");
        machine.set(0, "temperature.gpu", "77");
        machine.set(0, "power.draw", "251.37");
        assertThat(reader.read(machine.id(0)))
                .isEqualTo(new GpuReading(96, 1_000 * MIB, 24_576 * MIB, 77, 251_370, List.of()));
    }

    @Test
    void aForeignProcessComesAndGoes() {
        GpuReader reader = reader();
        reader.inventory();
        assertThat(reader.processes(machine.id(2))).isEmpty();
        machine.process(2, 4_711, 1_000);
        machine.process(machine.id(2), 4_712, "G", "20");
        machine.process(machine.id(2), 4_713, "C+G", "30");
        machine.process(machine.id(2), 4_710, "M", "[N/A]");
        assertThat(reader.processes(machine.id(2)))
                .containsExactly(
                        new GpuProcess(4_710, Kind.COMPUTE, null),
                        new GpuProcess(4_711, Kind.COMPUTE, 1_000 * MIB),
                        new GpuProcess(4_712, Kind.GRAPHICS, 20 * MIB),
                        new GpuProcess(4_713, Kind.COMPUTE_AND_GRAPHICS, 30 * MIB));
        assertThat(reader.processes(machine.id(1))).isEmpty();
        machine.processGone(4_711);
        assertThat(reader.processes(machine.id(2))).hasSize(3);
    }

    @Test
    void morePeopleThanThereIsRoomAtFirst() {
        GpuReader reader = reader();
        reader.inventory();
        for (int pid = 1; pid <= 300; pid++) {
            machine.process(0, pid, 1);
        }
        assertThat(reader.processes(machine.id(0))).hasSize(300);
    }

    @Test
    void aGpuThatIsNotHereIsRefused() {
        GpuReader reader = reader();
        reader.inventory();
        refused(() -> reader.read(new GpuId("GPU-1")), GpuException.Kind.UNAVAILABLE, "this machine has no GPU GPU-1");
    }

    // ---- faults ---------------------------------------------------------------------------------------------------

    @Test
    void aGpuThatHangsTakesNobodyAlong() throws InterruptedException {
        GpuReader reader = reader(SHORT);
        reader.inventory();
        machine.hang(1, LONG);

        refused(
                () -> reader.processes(machine.id(1)),
                GpuException.Kind.HUNG,
                "NVIDIA's driver has not answered within 300 ms about GPU 1 (" + machine.id(1)
                        + "); the kernel's log may say why (dmesg | grep -i nvrm)");
        // At once, on the same thread that hangs.
        int threads = Thread.activeCount();
        for (int i = 0; i < 100; i++) {
            refused(
                    () -> reader.read(machine.id(1)),
                    GpuException.Kind.HUNG,
                    "NVIDIA's driver still has not answered an earlier call about GPU 1 (" + machine.id(1)
                            + "); it is asked again when that one comes back, or after a reboot");
        }
        assertThat(Thread.activeCount()).isEqualTo(threads);
        assertThat(reader.processes(machine.id(0))).isEmpty();

        machine.well();
        machine.process(1, 4_711, 100);
        // The call that hung comes back by itself; no clock is needed to see it, only another try.
        assertThat(untilAnswered(reader, machine.id(1)))
                .containsExactly(new GpuProcess(4_711, Kind.COMPUTE, 100 * MIB));
    }

    private static List<GpuProcess> untilAnswered(GpuReader reader, GpuId gpu) throws InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            try {
                return reader.processes(gpu);
            } catch (GpuException e) {
                boolean _ = new LinkedBlockingQueue<>().poll(10, TimeUnit.MILLISECONDS) == null;
            }
        }
        throw new AssertionError("the GPU does not answer again");
    }

    @Test
    void aGpuThatHangsAtTheStartIsLeftOut() {
        machine.hang(1, LONG);
        GpuInventory inventory = reader(SHORT).inventory();
        assertThat(inventory.devices())
                .extracting(it -> it.gpu().index().physical())
                .containsExactly(0, 2, 3);
        assertThat(inventory.warnings())
                .containsExactly("GPU 1 is not allocated: NVIDIA's driver has not answered within 1 s about GPU 1; the"
                        + " kernel's log may say why (dmesg | grep -i nvrm)");
    }

    @Test
    void aGpuThatIsLost() throws InterruptedException {
        GpuReader reader = reader();
        reader.inventory();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        reader.watch(listener(told), BackgroundWork.onVirtualThreads(InstantSource.system()));
        machine.lost(2);
        String sentence = "GPU 2 (" + machine.id(2)
                + ") has fallen off the bus: NVIDIA's driver has lost it; reboot the" + " machine to have it back";

        refused(() -> reader.read(machine.id(2)), GpuException.Kind.LOST, sentence);
        refused(() -> reader.processes(machine.id(2)), GpuException.Kind.LOST, sentence);

        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo("lost " + machine.id(2));
        assertThat(told).isEmpty();
        assertThat(reader.inventory().warnings())
                .containsExactly("GPU 2 is not allocated: " + sentence.replace(" (" + machine.id(2) + ")", ""));
        machine.well();
        assertThat(reader.processes(machine.id(2))).isEmpty();
    }

    @Test
    void anErrorIsInTheLibrarysWords() {
        GpuReader reader = reader();
        reader.inventory();
        machine.error(3, 999);
        refused(
                () -> reader.read(machine.id(3)),
                GpuException.Kind.FAILED,
                "GPU 3 (" + machine.id(3) + ") cannot be read: NVIDIA's library says: Unknown Error");
    }

    @Test
    void aGpuThatDoesNotTellWhoIsOnItIsNamed() {
        GpuReader reader = reader();
        machine.process(0, 4_711, 100);
        machine.noProcesses(0);
        assertThat(reader.inventory().warnings())
                .containsExactly("GPU 0 (" + machine.id(0)
                        + ") does not tell what runs on it: processes of others are not seen there");
        assertThat(reader.processes(machine.id(0))).isEmpty();
    }

    @Test
    void aDriverThatIsNotLoaded() {
        machine.failure(9, "NVIDIA-SMI has failed.");
        refused(
                this::reader,
                GpuException.Kind.UNAVAILABLE,
                "no GPU can be used: NVIDIA's driver is not loaded; load it (modprobe nvidia), or see why it does not"
                        + " load: dmesg | grep -i nvrm");
    }

    @Test
    void aDriverOfAnotherVersion() {
        machine.failure(18, "Failed to initialize NVML: Driver/library version mismatch");
        refused(
                this::reader,
                GpuException.Kind.UNAVAILABLE,
                "no GPU can be used: NVIDIA's driver in the kernel and its library have different versions, as after an"
                        + " update; reboot the machine");
    }

    @Test
    void aLibraryThatIsNotThere() {
        String path = folder.resolve("nothing.so").toString();
        refused(
                () -> NvmlReader.load(path),
                GpuException.Kind.UNAVAILABLE,
                "NVIDIA's library " + path + " cannot be loaded; NVIDIA's driver brings it along");
    }

    // ---- events ---------------------------------------------------------------------------------------------------

    @Test
    void errorsAreTold() throws Exception {
        machine.xid(0, 13);
        GpuReader reader = reader();
        reader.inventory();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        AutoCloseable watch = reader.watch(listener(told), BackgroundWork.onVirtualThreads(InstantSource.system()));
        awaitListening(told);

        machine.xid(1, 79);
        machine.doubleBitError(2);

        assertThat(told.poll(10, TimeUnit.SECONDS))
                .isEqualTo(machine.id(1) + " fatal " + Xid.of(79).sentence());
        assertThat(told.poll(10, TimeUnit.SECONDS))
                .isEqualTo(machine.id(2)
                        + " fatal an ECC error of two bits, which cannot be corrected; reset it with the server stopped"
                        + " (nvidia-smi --gpu-reset), or reboot, then berth gpus resume");
        watch.close();
        machine.xid(1, 48);
        assertThat(told.poll(100, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void anErrorOfADividedGpuIsOneOfEachPart() throws Exception {
        List<GpuId> parts = machine.mig(0, "3g.20gb", "3g.20gb");
        machine.noEvents(1);
        GpuReader reader = reader();
        reader.inventory();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        reader.watch(listener(told), BackgroundWork.onVirtualThreads(InstantSource.system()));
        awaitListening(told);
        machine.xid(0, 48);
        assertThat(List.of(
                        String.valueOf(told.poll(10, TimeUnit.SECONDS)),
                        String.valueOf(told.poll(10, TimeUnit.SECONDS))))
                .containsExactlyInAnyOrder(
                        parts.getFirst() + " fatal " + Xid.of(48).sentence(),
                        parts.getLast() + " fatal " + Xid.of(48).sentence());
    }

    /** What was told before somebody listened is not told again, so a first event is sent until it arrives. */
    private void awaitListening(BlockingQueue<String> told) throws InterruptedException {
        String arrived = null;
        for (int i = 0; i < 1_000 && arrived == null; i++) {
            machine.xid(3, 31);
            arrived = told.poll(20, TimeUnit.MILLISECONDS);
        }
        assertThat(arrived).isEqualTo(machine.id(3) + " harmless " + Xid.of(31).sentence());
        while (told.poll(100, TimeUnit.MILLISECONDS) != null) {
            // Those of the tries before.
        }
    }

    private static GpuReader.GpuListener listener(BlockingQueue<String> told) {
        return new GpuReader.GpuListener() {
            @Override
            public void fault(GpuId gpu, GpuFault fault) {
                told.add(gpu + (fault.isFatal() ? " fatal " : " harmless ") + fault.sentence());
            }

            @Override
            public void lost(GpuId gpu) {
                told.add("lost " + gpu);
            }
        };
    }
}
