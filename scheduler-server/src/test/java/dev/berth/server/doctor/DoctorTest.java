package dev.berth.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.place.GpuTopology;
import dev.berth.server.config.Settings;
import dev.berth.server.gpu.GpuDevice;
import dev.berth.server.gpu.GpuException;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.profile.Profiles;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.ContainerPlan;
import dev.berth.server.runner.docker.EngineSetup;
import dev.berth.server.runner.docker.FakeContainerEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A machine on which all is well, and each thing of it broken by itself. */
class DoctorTest {
    private static final List<Gpu> GPUS = List.of(gpu(0), gpu(1));

    @TempDir
    private Path root;

    private final List<DoctorFinding> told = new ArrayList<>();
    private final List<ContainerPlan> tried = new ArrayList<>();
    private String answer = "";
    private FakeContainerEngine engine = new FakeContainerEngine(InstantSource.system(), (_, _) -> {});
    private @Nullable String driver = "570.00";
    private @Nullable String cuda = "12.8";
    private int gpus = 2;
    private GpuMode mode = GpuMode.RUNTIME;
    private Set<String> held = Set.of();
    private List<String> failing = List.of();
    private NoticeWays notices = new NoticeWays(true, null, 587, Optional::empty);
    private String profiles = "none";
    private boolean simulated;

    private static Gpu gpu(int index) {
        return new Gpu(new GpuId("GPU-" + index), index, "a GPU", 24_576);
    }

    @BeforeEach
    void furnish() throws IOException {
        write(
                "proc/driver/nvidia/version",
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.00  Tue\nGCC version: 12\n");
        write("etc/os-release", "NAME=x\nID=debian\n");
        for (String node : List.of("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm")) {
            allow(write("dev/" + node, ""), "rw-rw-rw-");
        }
        program("nvidia-ctk", "echo 'NVIDIA Container Toolkit CLI version 1.18.0'; echo 'commit: x'");
        program("nvidia-smi", "echo Enabled; echo Enabled");
        Files.createDirectories(root.resolve("dev/shm"));
        engine = new FakeContainerEngine(InstantSource.system(), (here, plan) -> {
                    tried.add(plan);
                    here.print(
                            plan.name(),
                            Stream.OUT,
                            answer.isEmpty()
                                    ? "GPU 0: a GPU (UUID: "
                                            + plan.environment().get("NVIDIA_VISIBLE_DEVICES") + ")\n"
                                    : answer);
                    here.end(plan.name(), 0);
                })
                .withImage("jobs:1");
    }

    private Path write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private void program(String name, String script) throws IOException {
        allow(write("bin/" + name, "#!/bin/sh\n" + script + "\n"), "rwxr-xr-x");
    }

    private GpuInventory inventory() {
        List<GpuDevice> all = GPUS.subList(0, gpus).stream()
                .map(gpu -> new GpuDevice(
                        gpu, "00000000:01:00.0", gpu.index().physical(), null, GpuDevice.ComputeMode.DEFAULT, false))
                .toList();
        return new GpuInventory(driver, cuda, all, GpuTopology.UNKNOWN, List.of());
    }

    private DoctorView examine() {
        return examine(this::inventory);
    }

    private DoctorView examine(Supplier<GpuInventory> inventory) {
        told.clear();
        ExaminedServer server = new ExaminedServer(
                mode,
                "jobs:1",
                root.resolve("data/not/there"),
                List.of(),
                Profiles.of(Settings.of("profiles.file=" + profiles)),
                simulated,
                held,
                failing,
                notices,
                inventory,
                () -> engine);
        Host host = new Host(root, List.of(root.resolve("bin")));
        DoctorView view = new MachineExamination(host, server, told::add).examine();
        assertThat(told).as("each finding is told as it comes").isEqualTo(view.findings());
        return view;
    }

    @Test
    void whereTheFileOfProfilesIsWrongIsAWarning() throws IOException {
        Path file = Files.writeString(root.resolve("profiles.yaml"), "profiles: {jupyterlab: [{display_name: a}]}");
        allow(file, "rw-r--r--");
        profiles = file.toString();
        assertThat(examine().findings()).contains(new DoctorFinding("profiles", "ok", file + " has 1", null, null));
        Files.writeString(file, "profiles:\n  jupyterlab: a\n");
        assertOnly("profiles", DoctorFinding.WARNING, file + ":2: jupyterlab: must be a list", "berth profiles");
        assertThat(bad(examine()).getFirst().sentence()).endsWith("; until then those of before, if any, count");
    }

    private static DoctorFinding told(String sentence) {
        return new DoctorFinding("notices", DoctorFinding.OK, sentence, null, null);
    }

    @Test
    void whereNothingIsSetUpForNoticesThatIsOneLine() {
        assertThat(examine().findings())
                .contains(told("no mail server is set (notify.mail-server); commands of users (cmd:) run in cgroups"
                        + " with limits"));
        notices = new NoticeWays(true, null, 587, () -> Optional.of("there is no room"));
        assertThat(examine().findings())
                .contains(told("no mail server is set (notify.mail-server); no commands of users (cmd:) are run: there"
                        + " is no room"));
        notices = new NoticeWays(false, "mail.invalid", 587, () -> {
            throw new AssertionError("nobody asked");
        });
        assertThat(examine().findings()).contains(told("nobody is told of jobs (notify.enabled)"));
    }

    @Test
    void aMailServerThatCannotBeReachedIsAWarning() throws IOException {
        int port;
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
            notices = new NoticeWays(true, "127.0.0.1", port, Optional::empty);
            assertThat(examine().findings())
                    .contains(told("the mail server 127.0.0.1:" + port
                            + " answers; commands of users (cmd:) run in cgroups with limits"));
        }
        assertOnly(
                "notices",
                DoctorFinding.WARNING,
                "the mail server 127.0.0.1:" + port
                        + " (notify.mail-server, notify.mail-port) cannot be reached: Connection refused",
                "berth config show");
        notices = new NoticeWays(true, "mail.invalid", 25, Optional::empty);
        assertOnly("notices", DoctorFinding.WARNING, "cannot be reached: its name is not known", "berth config show");
    }

    @Test
    void backgroundWorkOfTheServerThatDoesNotSucceedIsAWarning() {
        failing = List.of("daily backup, since 3h ago (4 failures): no space");
        assertOnly(
                "background", DoctorFinding.WARNING, "daily backup, since 3h ago (4 failures): no space", "server.log");
    }

    private static List<DoctorFinding> bad(DoctorView view) {
        return view.findings().stream()
                .filter(finding -> !finding.verdict().equals(DoctorFinding.OK))
                .filter(finding -> !Set.of("disk", "shm", "limits").contains(finding.check()))
                .toList();
    }

    private void assertOnly(String check, String verdict, String words, String mend) {
        DoctorView view = examine();
        assertThat(bad(view)).singleElement().satisfies(finding -> {
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.verdict()).isEqualTo(verdict);
            assertThat(finding.sentence()).contains(words);
            assertThat(finding.mend()).contains(mend);
        });
        assertThat(view.ready()).isEqualTo(verdict.equals(DoctorFinding.WARNING));
    }

    @Test
    void whereAllIsWellAJobCouldRun() {
        DoctorView view = examine();
        assertThat(bad(view)).isEmpty();
        assertThat(view.ready()).isTrue();
        assertThat(view.sentence()).startsWith("a job with a GPU can run");
        assertThat(view.findings())
                .anySatisfy(finding -> assertThat(finding.sentence()).contains("CONDA_OVERRIDE_CUDA=12.8"))
                .anySatisfy(finding -> assertThat(finding.sentence())
                        .isEqualTo("NVIDIA Container Toolkit 1.18.0, its runtime in mode auto"));
        assertThat(tried).hasSize(2).allSatisfy(plan -> {
            assertThat(plan.gpus().runtime()).isEqualTo("nvidia");
            assertThat(plan.labels()).doesNotContainKey("dev.berth.server");
            assertThat(plan.network()).isEqualTo("none");
        });
        assertThat(engine.all()).as("test containers are removed").isEmpty();
    }

    @Test
    void aGpuThatAJobHasIsLeftAlone() {
        held = Set.of("GPU-1");
        assertThat(examine().findings())
                .contains(new DoctorFinding("gpu 1", DoctorFinding.OK, "not tried: a job has it", null, null));
        assertThat(tried).hasSize(1);
    }

    @Test
    void withoutADriverTheWordsAreHonest() {
        DoctorView view = examine(() -> {
            throw new GpuException("nvidia-smi is not installed");
        });
        assertThat(view.ready()).isFalse();
        assertThat(bad(view))
                .containsExactly(new DoctorFinding(
                        "driver",
                        DoctorFinding.FAILURE,
                        "no driver: nvidia-smi is not installed; jobs without GPUs can run",
                        "reboot",
                        null));
        assertThat(tried).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "debian,false,false,apt-get install nvidia-driver && reboot",
        "ubuntu,false,false,ubuntu-drivers install && reboot",
        "arch,false,false,see https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",
        "debian,true,false,modprobe nvidia",
        "debian,true,true,reboot"
    })
    void theMendOfADriverIsThatOfTheMachine(String distribution, boolean tools, boolean loaded, String mend)
            throws IOException {
        write("etc/os-release", "ID=\"" + distribution + "\"\n");
        if (!tools) {
            Files.delete(root.resolve("bin/nvidia-smi"));
        }
        if (!loaded) {
            Files.delete(root.resolve("proc/driver/nvidia/version"));
        }
        DoctorView view = examine(() -> {
            throw new GpuException("it fails");
        });
        assertThat(bad(view).getFirst().mend()).isEqualTo(mend);
    }

    @Test
    void aLibraryOfAnotherVersionThanTheModuleNeedsARestart() {
        driver = "575.51";
        assertOnly("driver", "failure", "has driver 570.00 loaded, and its library is of 575.51", "reboot");
    }

    @Test
    void noGpuIsAFailure() {
        gpus = 0;
        assertOnly("gpus", "failure", "the driver sees no GPU", "lspci");
    }

    @Test
    void aDriverThatIsSilentAboutCudaIsNamed() {
        cuda = null;
        assertOnly("cuda", "warning", "does not tell which CUDA", "nvidia-smi");
    }

    @Test
    void persistenceModeIsWorthASecond() throws IOException {
        program("nvidia-smi", "echo Enabled; echo Disabled");
        assertOnly("persistence", "warning", "persistence mode is off", "nvidia-smi -pm 1");
        program("nvidia-persistenced", "");
        assertOnly("persistence", "warning", "off", "systemctl enable --now nvidia-persistenced");
        program("nvidia-smi", "echo no such field; exit 2");
        assertThat(bad(examine())).isEmpty();
    }

    @Test
    void aToolkitThatIsNotThereIsNamed() throws IOException {
        Files.delete(root.resolve("bin/nvidia-ctk"));
        assertOnly(
                "toolkit", "warning", "not installed, or not on the PATH", "apt-get install nvidia-container-toolkit");
        program("nvidia-container-cli", "echo 'cli-version: 1.18.1'; echo 'lib-version: 1.13.5'");
        assertThat(bad(examine())).isEmpty();
    }

    @Test
    void aToolkitWithAHoleIsNamed() throws IOException {
        program("nvidia-ctk", "echo 'NVIDIA Container Toolkit CLI version 1.17.7'");
        assertOnly("toolkit", "warning", "CVE-2025-23266", "apt-get install nvidia-container-toolkit");
    }

    @Test
    void aToolkitThatHeedsPrivilegedContainersOnlyServesNoJob() throws IOException {
        write(Toolkit.CONFIG.substring(1), """
            accept-nvidia-visible-devices-envvar-when-unprivileged = false # hardened
            [nvidia-container-cli]
            no-cgroups = false
            [nvidia-container-runtime]
            mode = "auto"
            runtimes = ["runc", "crun"]
            [nvidia-container-runtime.modes.cdi]
            mode = "other"
            """);
        assertOnly(
                "toolkit",
                "failure",
                "no job is privileged",
                "nvidia-ctk config --in-place --set accept-nvidia-visible-devices-envvar-when-unprivileged=true");
    }

    @Test
    void nodesThatAreMissingOrClosedAreNamed() throws IOException {
        Files.delete(root.resolve("dev/nvidia-uvm"));
        assertOnly("nodes", "warning", "not there yet: /dev/nvidia-uvm", "nvidia-modprobe -u -c 0 -c 1");
        allow(write("dev/nvidia-uvm", ""), "rw-rw----");
        assertOnly("nodes", "warning", "/dev/nvidia-uvm (660)", "chmod 666 /dev/nvidia-uvm");
    }

    @Test
    void aLockOfSafeGpuThatNotEverybodyCanTakeIsNamed() throws IOException {
        Path lock = write("tmp/safe_gpu/gpu-lock-magic-RaNdOM-This_Name-NEED_BE-THE_SAME-Across_Users", "");
        allow(lock, "rw-r--r--");
        assertOnly("safe-gpu", "warning", "cannot be taken by everybody", "chmod 666 " + lock);
        allow(lock, "rw-rw-rw-");
        assertThat(bad(examine())).isEmpty();
    }

    @Test
    void anEngineThatDoesNotAnswerIsNamedAndNothingBehindIt() {
        DoctorView view = new MachineExamination(
                        new Host(root, List.of(root.resolve("bin"))),
                        new ExaminedServer(
                                mode,
                                "jobs:1",
                                root,
                                List.of(),
                                Profiles.of(Settings.of()),
                                false,
                                held,
                                failing,
                                notices,
                                this::inventory,
                                () -> {
                                    throw new EngineException(
                                            Kind.UNREACHABLE, "no Docker Engine answers at unix:///x");
                                }),
                        _ -> {})
                .examine();
        assertThat(bad(view))
                .containsExactly(new DoctorFinding(
                        "engine", "failure", "no Docker Engine answers at unix:///x", "systemctl start docker", null));
        assertThat(view.sentence()).startsWith("no job with a GPU can run until 1 failure is mended");
    }

    @Test
    void aWayThatTheEngineDoesNotHaveIsNamed() {
        mode = GpuMode.CDI;
        DoctorView view = examine();
        assertThat(bad(view).getFirst().check()).isEqualTo("way");
        assertThat(bad(view).getFirst().mend()).contains("nvidia-ctk runtime configure --runtime=docker --cdi.enabled");
        assertThat(view.ready()).isFalse();
    }

    @Test
    void theWayByAutoIsSaid() {
        mode = GpuMode.AUTO;
        assertThat(examine().findings())
                .contains(new DoctorFinding(
                        "way", "ok", "gpus.mode runtime (by auto): the engine has the runtime nvidia", null, null));
    }

    @Test
    void anImageThatIsNotHereOrNeedsMoreThanTheDriverIsNamed() {
        engine.withEnvironment("jobs:1", Map.of("NVIDIA_REQUIRE_CUDA", "cuda>=13.0"));
        assertOnly("image", "failure", "image jobs:1 needs CUDA >= 13.0, the driver 570.00", "berth config show");
        engine = new FakeContainerEngine(InstantSource.system(), (_, _) -> {});
        assertOnly("image", "failure", "is not here", "docker pull jobs:1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "No devices were found | sees no GPU ('No devices were found')",
                "node /dev/nvidia[0-9]* | sees no GPU",
                "GPU 0: x (UUID: GPU-7) | sees others",
                "Failed to initialize NVML: Unknown Error | sees no GPU ('Failed to initialize NVML: Unknown Error')"
            })
    void aGpuThatATestContainerDoesNotSeeIsNamed(String said, String words) {
        answer = said + "\n";
        held = Set.of("GPU-0");
        assertOnly("gpu 1", "failure", words, "nvidia-smi -q -i GPU-1");
    }

    @Test
    void withoutNvidiaSmiInTheContainerTheNodeTells() {
        answer = "sh: 1: nvidia-smi: not found\nnode /dev/nvidia0\n";
        assertThat(bad(examine())).isEmpty();
        answer = "node /dev/nvidia0\nnode /dev/nvidia1\n";
        assertThat(examine().ready()).as("one GPU too many").isFalse();
    }

    @Test
    void aTestContainerThatDoesNotStartIsNamedAndRemoved() {
        engine.strikeWith((verb, done) -> {
            if (verb.equals("start") && !done) {
                throw new EngineException(Kind.REFUSED, "unknown device: GPU-1");
            }
        });
        held = Set.of("GPU-0");
        assertOnly("gpu 1", "failure", "did not run: unknown device: GPU-1", "nvidia-smi -q -i GPU-1");
        assertThat(engine.all()).isEmpty();
    }

    @Test
    void simulatedGpusAreCalledSimulated() {
        simulated = true;
        assertOnly("simulated", "warning", "no job would see a real one", "berth server start -g");
    }

    private List<DoctorFinding> loss(String cgroupDriver, String toolkit, String config, GpuMode way) {
        List<DoctorFinding> found = new ArrayList<>();
        new LossCheck(new Host(root, List.of()), new Findings(found::add))
                .look(
                        new EngineSetup("runc", cgroupDriver, 2, List.of(), Set.of()),
                        new Toolkit(Optional.of(toolkit), Toolkit.parse(config)),
                        way,
                        List.of());
        return found;
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "cgroupfs, 1.13.5, '', RUNTIME, -",
                "systemd, 1.18.0, '', RUNTIME, -",
                "systemd, 1.17.8, '', CDI, -",
                "systemd, 1.17.8, '', RUNTIME, apt-get update && apt-get install --only-upgrade"
                        + " nvidia-container-toolkit",
                "systemd, 2.0.0, '', RUNTIME, -",
                "systemd, 1.18.0, '[nvidia-container-runtime]\n"
                        + "mode = \"legacy\"', RUNTIME, nvidia-ctk config --in-place",
                "systemd, 1.17.8, '[nvidia-container-runtime]\nmode = \"cdi\"', RUNTIME, -",
                "systemd, 1.18.0, '', DEVICE_REQUEST, berth server start -g --gpu-mode runtime"
            })
    void setUpsInWhichAContainerLosesItsGpusAreNamed(
            String cgroupDriver, String toolkit, String config, GpuMode way, @Nullable String mend) {
        assertThat(loss(cgroupDriver, toolkit, config, way)).singleElement().satisfies(finding -> {
            assertThat(finding.check()).isEqualTo("device loss");
            if (mend == null) {
                assertThat(finding.verdict()).isEqualTo("ok");
            } else {
                assertThat(finding.verdict()).isEqualTo("warning");
                assertThat(finding.sentence()).contains("Failed to initialize NVML: Unknown Error");
                assertThat(finding.mend()).startsWith(mend);
            }
        });
    }

    @Test
    void linksThatSystemdNeedsAreNamedWhereTheyAreMissing() throws IOException {
        List<DoctorFinding> found = new ArrayList<>();
        write("dev/char/195:0", "");
        new LossCheck(new Host(root, List.of()), new Findings(found::add))
                .look(
                        new EngineSetup("runc", "systemd", 2, List.of(), Set.of()),
                        new Toolkit(Optional.of("1.18.0"), Map.of()),
                        GpuMode.RUNTIME,
                        inventory().devices());
        assertThat(found)
                .contains(new DoctorFinding(
                        "device loss",
                        "warning",
                        "links by which systemd finds GPUs are missing: /dev/char/195:1",
                        "nvidia-ctk system create-dev-char-symlinks --create-all",
                        null));
    }
}
