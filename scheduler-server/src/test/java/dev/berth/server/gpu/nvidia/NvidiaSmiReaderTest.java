package dev.berth.server.gpu.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.GpuId;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.GpuReader;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.gpu.LocalCpus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code nvidia-smi -q -x}: how it fails, and documents that no stand-in prints. What it tells is ReaderContractTest's. */
class NvidiaSmiReaderTest {
    private static final DriverTimeouts PATIENCE = new DriverTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(10));
    private static final DriverTimeouts IMPATIENT =
            new DriverTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofMillis(500));
    private static final String LATE =
            "NVIDIA's driver has not answered within 500 ms about GPU 1 (%s); the kernel's log"
                    + " may say why (dmesg | grep -i nvrm)";

    @TempDir
    private Path folder;

    private GpuReader reader(Path program, DriverTimeouts patience) {
        return new NvidiaSmiReader(new NvidiaSmi(program.toString()), patience, new LocalCpus(folder));
    }

    /** A program that prints this, whatever it is asked. */
    private GpuReader printing(String standardOutput, String standardError, int exit) throws IOException {
        Path program = folder.resolve("nvidia-smi");
        Files.writeString(folder.resolve("out"), standardOutput);
        Files.writeString(folder.resolve("err"), standardError);
        Files.writeString(program, "#!/bin/sh\ncat \"${0%/*}/out\"\ncat \"${0%/*}/err\" >&2\nexit " + exit + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return reader(program, PATIENCE);
    }

    private static void refused(ThrowingCallable call, GpuException.Kind kind, String sentence) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        GpuException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessage(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "6 | No devices were found | no GPU was found: nvidia-smi says: No devices were found",
                "9 | NVIDIA-SMI has failed. | no GPU can be used: NVIDIA's driver is not loaded (nvidia-smi:"
                        + " NVIDIA-SMI has failed.)",
                "12 | NVML is missing. | no GPU can be used: nvidia-smi failed with code 12: NVML is missing."
            })
    void aMachineWithoutUsableGpus(int exit, String words, String sentence) {
        StandInNvml machine = new StandInNvml(folder, 1);
        machine.failure(exit, words);
        refused(() -> reader(machine.nvidiaSmi(), PATIENCE).inventory(), GpuException.Kind.UNAVAILABLE, sentence);
    }

    @Test
    void aProgramThatIsNotThere() {
        refused(
                () -> reader(folder.resolve("nothing"), PATIENCE).inventory(),
                GpuException.Kind.UNAVAILABLE,
                "no GPU was found: nvidia-smi is not installed; install NVIDIA's driver, or try Berth with"
                        + " --simulate-gpus N");
    }

    @Test
    void aProgramThatDoesNotEndIsEnded() {
        StandInNvml machine = new StandInNvml(folder, 2);
        machine.hang(1, Duration.ofSeconds(30));
        refused(
                () -> reader(machine.nvidiaSmi(), new DriverTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(1)))
                        .inventory(),
                GpuException.Kind.HUNG,
                "nvidia-smi did not end within 1 s; the kernel's log may say why (dmesg | grep -i nvrm)");
    }

    @Test
    void aGpuThatHungIsNotWaitedForByAJobAgain() {
        StandInNvml machine = new StandInNvml(folder, 2);
        // However busy this machine is, the process is ended before a job's patience is.
        DriverTimeouts longForJobs =
                new DriverTimeouts(Duration.ofSeconds(20), Duration.ofSeconds(1), Duration.ofSeconds(20));
        GpuReader reader = reader(machine.nvidiaSmi(), longForJobs);
        GpuInventory _ = reader.inventory();
        machine.hang(1, Duration.ofSeconds(30));
        assertThatThrownBy(() -> reader.read(machine.id(1))).isInstanceOf(GpuException.class);
        machine.well();
        refused(
                () -> reader.processes(machine.id(1)),
                GpuException.Kind.HUNG,
                "nvidia-smi did not end within 1 s; the kernel's log may say why (dmesg | grep -i nvrm)");
        assertThatThrownBy(() -> reader.read(machine.id(1))).hasMessageContaining("did not end within 1 s");
        assertThat(reader.processes(machine.id(0))).isEmpty();
        // It was asked beside that, and on the same line as this look.
        assertThat(reader.sample(machine.id(1)).processes()).isEmpty();
        assertThat(reader.processes(machine.id(1))).isEmpty();
    }

    /** Its process may take ten seconds, and one of the watch over all GPUs may have begun before. */
    @Test
    void aJobWaitsForAGpuThatHangsNoLongerThanForAnother() {
        StandInNvml machine = new StandInNvml(folder, 2);
        GpuReader reader = reader(machine.nvidiaSmi(), IMPATIENT);
        GpuInventory _ = reader.inventory();
        machine.hang(1, Duration.ofMinutes(10));
        for (int looks = 0; looks < 2; looks++) {
            refused(() -> reader.read(machine.id(1)), GpuException.Kind.HUNG, LATE.formatted(machine.id(1)));
            assertThat(reader.read(machine.id(0)).processes()).isEmpty();
        }
        reader.close();
    }

    @Test
    void aGpuThatIsSlowIsWaitedForOnceThatIsKnown() throws InterruptedException {
        StandInNvml machine = new StandInNvml(folder, 2);
        GpuReader reader = reader(machine.nvidiaSmi(), IMPATIENT);
        GpuInventory _ = reader.inventory();
        machine.hang(1, Duration.ofSeconds(2));
        refused(() -> reader.read(machine.id(1)), GpuException.Kind.HUNG, LATE.formatted(machine.id(1)));
        // The look that nobody waits for any more comes back by itself.
        while (isHung(reader, machine.id(1))) {
            boolean _ = new LinkedBlockingQueue<>().poll(10, TimeUnit.MILLISECONDS) == null;
        }
        assertThat(reader.read(machine.id(1)).processes()).isEmpty();
    }

    private static boolean isHung(GpuReader reader, GpuId gpu) {
        try {
            return reader.sample(gpu) == null;
        } catch (GpuException e) {
            return e.kind() == GpuException.Kind.HUNG;
        }
    }

    @Test
    void whatCannotBeReadIsNamed() {
        StandInNvml machine = new StandInNvml(folder, 2);
        machine.lost(1);
        GpuInventory inventory = reader(machine.nvidiaSmi(), PATIENCE).inventory();
        assertThat(inventory.devices()).extracting(device -> device.gpu().id()).containsExactly(machine.id(0));
        assertThat(inventory.warnings())
                .containsExactly("a GPU is not allocated: nvidia-smi says: Unable to determine the device handle for"
                        + " GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU");
    }

    @Test
    void warningsBesideTheDocumentDoNotSpoilIt() throws IOException {
        GpuReader reader = printing(
                "<nvidia_smi_log><gpu><uuid>GPU-1</uuid></gpu></nvidia_smi_log>", "WARNING: infoROM is corrupted\n", 0);
        assertThat(reader.inventory().devices())
                .extracting(device -> device.gpu().id().uuid())
                .containsExactly("GPU-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "N/A",
                "[N/A]",
                "[Not Supported]",
                "Unknown Error",
                "Requested functionality has been deprecated",
                "",
                "-1 MiB"
            })
    void wordsInPlaceOfNumbersAreNotKnown(String word) throws IOException {
        GpuReader reader = printing(
                "<nvidia_smi_log><gpu><uuid>GPU-1</uuid><fb_memory_usage><total>" + word + "</total><used>" + word
                        + "</used></fb_memory_usage><utilization><gpu_util>" + word
                        + "</gpu_util></utilization><minor_number>" + word
                        + "</minor_number><processes></processes></gpu></nvidia_smi_log>",
                "",
                0);
        GpuDevice device = reader.inventory().devices().getFirst();
        assertThat(device.gpu().memoryMiB()).isZero();
        assertThat(device.minor()).isEqualTo(-1);
        assertThat(reader.read(device.gpu().id())).isEqualTo(new GpuReading(null, null, null, null, null, List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "power_readings, power_draw",
        "gpu_power_readings, power_draw",
        "gpu_power_readings, instant_power_draw",
        "gpu_power_readings, average_power_draw"
    })
    void powerHasHadManyNames(String group, String name) throws IOException {
        GpuReader reader = printing(
                "<nvidia_smi_log><gpu><uuid>GPU-1</uuid><" + group + "><" + name + ">71.25 W</" + name + "></" + group
                        + "></gpu></nvidia_smi_log>",
                "",
                0);
        reader.inventory();
        assertThat(reader.read(reader.inventory().devices().getFirst().gpu().id())
                        .powerMilliwatts())
                .isEqualTo(71_250);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "<nvidia_smi_log><gpu>",
                "<nvidia_smi_log><gpu></nvidia_smi_log>",
                "<a>&unknown;</a",
            })
    void whatIsNoDocumentIsRefused(String text) throws IOException {
        GpuReader reader = printing(text, "", 0);
        assertThatThrownBy(reader::inventory)
                .isInstanceOf(GpuException.class)
                .hasMessageStartingWith("nvidia-smi printed what is not XML: ");
    }

    @Test
    void elementsWithoutEndAreRefused() {
        assertThatThrownBy(() -> XmlElement.parse("<a>".repeat(10_000)))
                .hasMessageContaining("more than 64 elements within each other");
    }

    @Test
    void noFileOfTheMachineIsRead() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "hidden");
        String document = """
            <?xml version="1.0"?>
            <!DOCTYPE log SYSTEM "%1$s" [
              <!ENTITY file SYSTEM "%1$s">
              <!ENTITY lol "lol"><!ENTITY lots "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
            ]>
            <log><name>a&file;b&lots;c</name></log>
            """.formatted(secret.toUri());
        assertThat(read(document)).doesNotContain("hidden").doesNotContain("lol");
    }

    private static String read(String document) {
        try {
            return XmlElement.parse(document).at("name");
        } catch (GpuException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void aGpuWithoutAUuidIsRefused() throws IOException {
        GpuReader reader = printing("<nvidia_smi_log><gpu></gpu></nvidia_smi_log>", "", 0);
        refused(reader::inventory, GpuException.Kind.UNAVAILABLE, "nvidia-smi prints a GPU without a UUID: ''");
    }
}
