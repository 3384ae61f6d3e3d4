package dev.berth.server.runner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.berth.core.job.Allocation;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuShare;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.ImageState;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.Queued;
import dev.berth.core.job.Part;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.Tasks;
import dev.berth.core.machine.Effect.CreateRun;
import dev.berth.core.parameter.SweepOptions;
import dev.berth.server.code.SnapshotStore;
import dev.berth.server.code.UploadLimits;
import dev.berth.server.code.Workspaces;
import dev.berth.server.example.Jobs;
import dev.berth.server.gpu.nvidia.Driver;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.mount.Granted;
import dev.berth.server.runner.docker.ContainerPlan.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a launch becomes in the engine's terms: nothing a submitter says widens it. */
class ContainerPlansTest {
    private static final Path JOBS = Path.of("/var/lib/berth/jobs");
    private static final long SHM = 1L << 30;
    private static final List<Granted.Source> GRANTED =
            List.of(new Granted.Source(Path.of("/run/here/0"), "/data", true));

    private static ContainerPlan plan(
            boolean simulated, Submitter owner, Allocation gpus, Map<String, String> variables) {
        return plan(simulated, owner, gpus, variables, Jobs.spec(gpus.gpus().size()));
    }

    private static ContainerPlan plan(
            boolean simulated, Submitter owner, Allocation gpus, Map<String, String> variables, JobSpec spec) {
        Job job = Jobs.job(17, spec, owner, new Queued(2, new ImageState.Ready("sha256:a1")));
        Workspaces workspaces = new Workspaces(
                JOBS, new SnapshotStore(Path.of("/nowhere"), UploadLimits.DEFAULT, InstantSource.system()), true);
        return new ContainerPlans(
                        new ContainerNames("harbour1"),
                        workspaces,
                        simulated ? GpuHandover.SIMULATED : GpuHandover.BY_RUNTIME,
                        SHM)
                .of(
                        new CreateRun(job, "sha256:a1", gpus),
                        new Program(List.of("python3", "main.py"), variables),
                        GRANTED);
    }

    private static ContainerPlan plan(GpuHandover handover, Allocation gpus, Map<String, String> variables) {
        GpuRequest request = gpus.shares().size() == 1
                ? new GpuRequest(gpus.shares().getFirst().milli())
                : GpuRequest.whole(gpus.shares().size());
        JobSpec spec = Jobs.with(Jobs.spec(0), Resources.of(request));
        Job job = Jobs.job(17, spec, Jobs.ADA, new Queued(2, new ImageState.Ready("sha256:a1")));
        Workspaces workspaces = new Workspaces(
                JOBS, new SnapshotStore(Path.of("/nowhere"), UploadLimits.DEFAULT, InstantSource.system()), true);
        return new ContainerPlans(new ContainerNames("harbour1"), workspaces, handover, SHM)
                .of(
                        new CreateRun(job, "sha256:a1", gpus),
                        new Program(List.of("python3", "main.py"), variables),
                        GRANTED);
    }

    private static GpuHandover by(GpuMode mode) {
        return new GpuHandover(mode, null, List.of(), () -> Driver.UNKNOWN);
    }

    @Test
    void aTaskOfASweepIsGivenItsParameters() {
        JobSpec spec = Jobs.spec(0).with(Tasks.parse("0-3"));
        Job job = new Job(
                new JobId(18),
                spec,
                Jobs.ADA,
                Jobs.SUBMITTED,
                new Queued(1, new ImageState.Ready("sha256:a1")),
                new Part.Task(new JobId(17), 1));
        Workspaces workspaces = new Workspaces(
                JOBS, new SnapshotStore(Path.of("/nowhere"), UploadLimits.DEFAULT, InstantSource.system()), true);
        ContainerPlan plan = new ContainerPlans(new ContainerNames("harbour1"), workspaces, GpuHandover.SIMULATED, SHM)
                .of(
                        new CreateRun(job, "sha256:a1", Allocation.NONE),
                        new Program(
                                List.of("main.py", "--lr={net.lr}", "{{net.lr}}"),
                                Map.of("BERTH_PARAM_net_lr", "forged"),
                                SweepOptions.of(List.of("net.lr=0.1,1e-3"), List.of(), null, null)),
                        List.of());
        assertThat(plan.command()).containsExactly("main.py", "--lr=1e-3", "{net.lr}");
        assertThat(plan.environment())
                .containsEntry("BERTH_PARAM_net_lr", "1e-3")
                .containsEntry("BERTH_PARAMS", "/etc/berth-params.json");
        assertThat(plan.mounts())
                .contains(new ContainerPlan.Mount(
                        JOBS.resolveSibling("runs").resolve("18.1/parameters"), "/etc/berth-params.json", true));
    }

    @Test
    void aDeviceRequestIsForExactlyTheGpusGiven() {
        ContainerPlan plan = plan(by(GpuMode.DEVICE_REQUEST), Jobs.allocation(3, 1), Map.of());
        assertThat(plan.gpus()).isEqualTo(new GpuAccess.ByRequest(List.of(Jobs.gpu(3), Jobs.gpu(1))));
        assertThat(plan.gpus().runtime()).isEqualTo("runc");
        assertThat(plan.environment())
                .as("the engine adds the same for its hook, and a program reads the first of two")
                .containsEntry("NVIDIA_VISIBLE_DEVICES", Jobs.gpu(3) + "," + Jobs.gpu(1));
    }

    @Test
    void cdiIsAskedForExactlyTheGpusGivenAndNoRuntimeMayAddAny() {
        ContainerPlan plan = plan(by(GpuMode.CDI), Jobs.allocation(3, 1), Map.of());
        assertThat(plan.gpus())
                .isEqualTo(
                        new GpuAccess.ByCdi(List.of("nvidia.com/gpu=" + Jobs.gpu(3), "nvidia.com/gpu=" + Jobs.gpu(1))));
        assertThat(plan.gpus().runtime()).isEqualTo("runc");
        assertThat(plan.environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    }

    @ParameterizedTest
    @EnumSource(
            value = GpuMode.class,
            names = {"RUNTIME", "DEVICE_REQUEST", "CDI"})
    void noVariableWidensWhatAnyWayGives(GpuMode mode) {
        Map<String, String> greedy = Map.of("NVIDIA_VISIBLE_DEVICES", "all", "CUDA_VISIBLE_DEVICES", "0");
        for (Allocation gpus : List.of(Allocation.NONE, Jobs.allocation(1))) {
            assertThat(plan(by(mode), gpus, greedy)).isEqualTo(plan(by(mode), gpus, Map.of()));
        }
        ContainerPlan none = plan(by(mode), Allocation.NONE, greedy);
        assertThat(none.gpus()).isEqualTo(new GpuAccess.None());
        assertThat(none.environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    }

    private static GpuHandover withMps(Path pipes) {
        return new GpuHandover(
                GpuMode.RUNTIME,
                new Mps(pipes),
                List.of(new Gpu(Jobs.gpu(0), 0, "a GPU", 24_576)),
                () -> Driver.UNKNOWN);
    }

    private static Allocation share(int milli) {
        return new Allocation(List.of(new GpuShare(Jobs.gpu(0), milli)));
    }

    @Test
    void theMultiProcessServiceHoldsAShareToItsPart(@TempDir Path pipes) throws IOException {
        Files.createFile(pipes.resolve("control"));
        Map<String, String> greedy = Map.of(
                "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "100",
                "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=24G",
                "CUDA_MPS_PIPE_DIRECTORY", "/elsewhere",
                "CUDA_MPS_CLIENT_PRIORITY", "0");
        ContainerPlan plan = plan(withMps(pipes), share(255), greedy);
        assertThat(plan.environment())
                .containsEntry("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps")
                .containsEntry("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "25")
                .containsEntry("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=6266M")
                .doesNotContainKey("CUDA_MPS_CLIENT_PRIORITY");
        assertThat(plan.mounts()).contains(new Mount(pipes, "/tmp/nvidia-mps", false));
        assertThat(plan.ipcOfHost()).isTrue();
        assertThat(plan(withMps(pipes), share(1), Map.of()).environment())
                .containsEntry("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "1");
    }

    @Test
    void nobodyElseMeetsTheMultiProcessService(@TempDir Path pipes) throws IOException {
        assertNoMps(plan(withMps(pipes), share(500), Map.of()));
        Files.createFile(pipes.resolve("control"));
        assertNoMps(plan(withMps(pipes), share(1000), Map.of("CUDA_MPS_PIPE_DIRECTORY", pipes.toString())));
        assertNoMps(plan(withMps(pipes), Allocation.NONE, Map.of()));
        assertNoMps(plan(by(GpuMode.RUNTIME), share(500), Map.of("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "100")));
    }

    /** Anyone who is first to make the directory in /tmp has jobs speak to them, or has something else mounted. */
    @Test
    void pipesThatAnotherUserHasMadeOrCanExchangeAreNone(@TempDir Path directory) throws IOException {
        Path pipes = Files.createDirectory(directory.resolve("pipes"));
        Path control = Files.createFile(pipes.resolve("control"));
        Mps mps = new Mps(pipes);
        assertThat(mps.obstacle()).isEmpty();
        assertThat(new Mps(Files.createSymbolicLink(directory.resolve("link"), pipes)).obstacle())
                .hasValueSatisfying(why -> assertThat(why).contains("links on the way are not followed"));
        Files.setPosixFilePermissions(pipes, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(mps.obstacle()).as("nobody else gets there").isEmpty();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(mps.obstacle()).hasValueSatisfying(why -> assertThat(why).contains("others may write"));
        Files.setPosixFilePermissions(pipes, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setAttribute(control, "unix:uid", 4_242);
        assertThat(mps.obstacle()).hasValueSatisfying(why -> assertThat(why).contains("another user's"));
        Files.setAttribute(control, "unix:uid", 0);
        Files.setAttribute(pipes, "unix:uid", 4_242);
        assertThat(mps.obstacle()).hasValueSatisfying(why -> assertThat(why).contains("another user's"));
        assertNoMps(plan(withMps(pipes), share(500), Map.of()));
        Files.setAttribute(pipes, "unix:uid", 0);
        Files.setAttribute(directory, "unix:uid", 4_242);
        assertNoMps(plan(withMps(pipes), share(500), Map.of()));
        Files.setAttribute(directory, "unix:uid", 0);
        assertThat(mps.isThere()).isTrue();
    }

    private static void assertNoMps(ContainerPlan plan) {
        assertThat(plan.ipcOfHost()).isFalse();
        assertThat(plan.environment().keySet()).noneMatch(name -> name.startsWith("CUDA_MPS"));
        assertThat(plan.mounts()).noneMatch(mount -> mount.target().equals("/tmp/nvidia-mps"));
    }

    private static ContainerPlan plan(JobSpec spec, Map<String, String> variables) {
        return plan(false, Jobs.ADA, Allocation.NONE, variables, spec);
    }

    private static ContainerPlan plan(Allocation gpus) {
        return plan(false, Jobs.ADA, gpus, Map.of());
    }

    @Test
    void nameAndLabelsDeriveFromServerJobAndAttempt() {
        Allocation gpus = Jobs.allocation(0, 2);
        ContainerPlan plan = plan(gpus);
        assertThat(plan.name()).isEqualTo("berth-harbour1-17-2");
        assertThat(plan.labels())
                .containsOnly(
                        entry("dev.berth.server", "harbour1"),
                        entry("dev.berth.job", "17"),
                        entry("dev.berth.attempt", "2"),
                        entry("dev.berth.gpus", gpus.uuids()),
                        entry("dev.berth.directory", "/var/lib/berth"));
        assertThat(plan(gpus)).as("the same again for the same launch").isEqualTo(plan);
    }

    @Test
    void theImageIsTheOneThatWasFoundAndTheCommandTheJobsOwn() {
        ContainerPlan plan = plan(Allocation.NONE);
        assertThat(plan.imageId()).isEqualTo("sha256:a1");
        assertThat(plan.command()).containsExactly("python3", "main.py");
        assertThat(plan.user()).isEqualTo(Jobs.ADA);
        assertThat(plan.workingDirectory()).isEqualTo("/workspace");
    }

    @Test
    void aJobWithGpusSeesExactlyThose() {
        ContainerPlan plan = plan(Jobs.allocation(3, 1));
        assertThat(plan.gpus().runtime()).isEqualTo("nvidia");
        assertThat(plan.environment())
                .containsEntry("NVIDIA_VISIBLE_DEVICES", Jobs.gpu(3) + "," + Jobs.gpu(1))
                .containsEntry("BERTH_GPU_UUIDS", Jobs.gpu(3) + "," + Jobs.gpu(1))
                .containsEntry("BERTH_NUM_GPUS", "2");
    }

    @Test
    void aJobWithoutGpusSeesNoneAndDoesNotMeetTheRuntimeThatKnowsThem() {
        ContainerPlan plan = plan(Allocation.NONE);
        assertThat(plan.gpus().runtime()).isEqualTo("runc");
        assertThat(plan.environment())
                .containsEntry("NVIDIA_VISIBLE_DEVICES", "void")
                .containsEntry("BERTH_GPU_UUIDS", "")
                .containsEntry("BERTH_NUM_GPUS", "0");
    }

    @Test
    void simulatedGpusAreAskedOfNoRuntime() {
        ContainerPlan plan = plan(true, Jobs.ADA, Jobs.allocation(0), Map.of());
        assertThat(plan.gpus().runtime()).isEqualTo("runc");
        assertThat(plan.environment())
                .containsEntry("NVIDIA_VISIBLE_DEVICES", "void")
                .containsEntry("BERTH_GPU_UUIDS", Jobs.gpu(0).uuid())
                .containsEntry("BERTH_NUM_GPUS", "1");
    }

    /** The API refuses these; that is no reason to rely on it. */
    @Test
    void whatTheSubmitterSetsNeverOverridesBerth() {
        ContainerPlan honest = plan(false, Jobs.ADA, Jobs.allocation(1), Map.of());
        Map<String, String> greedy = new HashMap<>();
        honest.environment().keySet().forEach(name -> greedy.put(name, "all"));
        greedy.remove("PYTHONUNBUFFERED");
        greedy.put("CUDA_VISIBLE_DEVICES", "0,1,2,3");
        assertThat(greedy).containsKeys("NVIDIA_VISIBLE_DEVICES", "BERTH_JOB_ID", "HOME", "USER");

        ContainerPlan plan = plan(false, Jobs.ADA, Jobs.allocation(1), greedy);
        assertThat(plan.environment()).isEqualTo(honest.environment());
        assertThat(plan).isEqualTo(honest);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGreedyJobWithoutGpusGetsNone(boolean simulated) {
        ContainerPlan plan = plan(
                simulated,
                Jobs.ADA,
                Allocation.NONE,
                Map.of("NVIDIA_VISIBLE_DEVICES", "all", "CUDA_VISIBLE_DEVICES", "0", "BERTH_GPU_UUIDS", "all"));
        assertThat(plan).isEqualTo(plan(simulated, Jobs.ADA, Allocation.NONE, Map.of()));
        assertThat(plan.environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    }

    @Test
    void theImagesOwnChoiceOfGpusIsTakenAway() {
        assertThat(plan(Jobs.allocation(1)).withoutVariables()).containsExactly("CUDA_VISIBLE_DEVICES");
        assertThat(plan(Jobs.allocation(1)).environment()).doesNotContainKey("CUDA_VISIBLE_DEVICES");
    }

    @Test
    void theJobIsToldWhoItIsAndWhereItsOutputGoes() {
        assertThat(plan(Allocation.NONE).environment())
                .containsOnly(
                        entry("PYTHONUNBUFFERED", "1"),
                        entry("HOME", "/home/ada"),
                        entry("USER", "ada"),
                        entry("BERTH_JOB_ID", "17"),
                        entry("BERTH_ATTEMPT", "2"),
                        entry("BERTH_NUM_GPUS", "0"),
                        entry("BERTH_GPU_UUIDS", ""),
                        entry("BERTH_PROJECT", "ships"),
                        entry("BERTH_OUTPUT_DIR", "/output"),
                        entry("BERTH_CHECKPOINT_DIR", "/checkpoint"),
                        entry("BERTH_TRACK", "/etc/berth-track"),
                        entry("NVIDIA_VISIBLE_DEVICES", "void"));
    }

    @Test
    void theSubmittersOwnVariablesReachTheJob() {
        ContainerPlan plan =
                plan(false, Jobs.ADA, Allocation.NONE, Map.of("TOKEN", "hush", "PYTHONUNBUFFERED", "", "EMPTY", ""));
        assertThat(plan.environment())
                .containsEntry("TOKEN", "hush")
                .containsEntry("EMPTY", "")
                .containsEntry("PYTHONUNBUFFERED", "");
    }

    @Test
    void onlyTheJobsOwnPlacesAndWhatWasGrantedAreMounted() {
        Path place = JOBS.resolveSibling("runs/17.2");
        assertThat(plan(Allocation.NONE).mounts())
                .containsExactly(
                        new Mount(place.resolve("workspace"), "/workspace", false),
                        new Mount(JOBS.resolveSibling("users/1000/output/17"), "/output", false),
                        new Mount(JOBS.resolveSibling("users/1000/checkpoint/17"), "/checkpoint", false),
                        new Mount(JOBS.resolveSibling("users/1000/track/17.2"), "/etc/berth-track", false),
                        new Mount(place.resolve("home"), "/home/ada", false),
                        new Mount(place.resolve("passwd"), "/etc/passwd", true),
                        new Mount(place.resolve("group"), "/etc/group", true),
                        new Mount(Path.of("/run/here/0"), "/data", true));
        assertThat(plan(false, Jobs.ROOT, Allocation.NONE, Map.of()).mounts())
                .contains(new Mount(place.resolve("home"), "/root", false));
    }

    /** Accepted before Berth had such a directory. */
    @Test
    void whatAJobMountsAtTheCheckpointsIsLeftToIt() {
        Job job = Jobs.job(17, Jobs.spec(0), Jobs.ADA, new Queued(1, new ImageState.Ready("sha256:a1")));
        assertThat(planOf(job, List.of(new Granted.Source(Path.of("/run/here/0"), "/checkpoint", false)))
                        .mounts())
                .filteredOn(mount -> mount.target().equals("/checkpoint"))
                .containsExactly(new Mount(Path.of("/run/here/0"), "/checkpoint", false));
    }

    @Test
    void aRetriedJobIsToldSoInTheWordsOfSlurm() {
        Job job = Jobs.job(17, Jobs.spec(0), Jobs.ADA, new Queued(3, new ImageState.Ready("sha256:a1")));
        assertThat(planOf(job, List.of()).environment())
                .containsEntry("BERTH_ATTEMPT", "3")
                .doesNotContainKey("SLURM_RESTART_COUNT");
        assertThat(planOf(job.retriedOnceMore(new JobId(18)), List.of()).environment())
                .containsEntry("SLURM_RESTART_COUNT", "1");
    }

    private static ContainerPlan planOf(Job job, List<Granted.Source> granted) {
        Workspaces workspaces = new Workspaces(
                JOBS, new SnapshotStore(Path.of("/nowhere"), UploadLimits.DEFAULT, InstantSource.system()), true);
        return new ContainerPlans(new ContainerNames("harbour1"), workspaces, GpuHandover.SIMULATED, SHM)
                .of(new CreateRun(job, "sha256:a1", Allocation.NONE), new Program(List.of("true"), Map.of()), granted);
    }

    @Test
    void whatItMayUseIsBounded() {
        ContainerPlan.Limits limits = plan(Allocation.NONE).limits();
        assertThat(limits.shmBytes()).isEqualTo(SHM);
        assertThat(limits.pids()).isBetween(1_000L, 100_000L);
        assertThat(limits.logBytes()).isPositive();
    }

    private static JobSpec options(@Nullable Integer cpuMilli, @Nullable Long memory, @Nullable Long shm) {
        InContainer place = new InContainer(
                Jobs.SNAPSHOT, Jobs.IMAGE, PullPolicy.MISSING, "/workspace/src", shm, "none", List.of());
        return Jobs.with(
                Jobs.with(Jobs.spec(0), place), new Resources(GpuRequest.NONE, GpuTraits.ANY, cpuMilli, memory, 0));
    }

    @Test
    void whatIsAskedForBeyondTheUsualIsInThePlan() {
        ContainerPlan plan = plan(options(1_500, 1L << 29, 1L << 27), Map.of());
        assertThat(plan.workingDirectory()).isEqualTo("/workspace/src");
        assertThat(plan.network()).isEqualTo("none");
        assertThat(plan.limits().cpuMilli()).isEqualTo(1_500);
        assertThat(plan.limits().memoryBytes()).isEqualTo(1L << 29);
        assertThat(plan.limits().shmBytes()).isEqualTo(1L << 27);
    }

    @Test
    void aJobThatHasFewerCoresThanItMayUseHasAsManyThreads() {
        Allocation cores = new Allocation(List.of(), List.of(2, 3, 4));
        ContainerPlan plan = plan(false, Jobs.ADA, cores, Map.of(), options(4_000, null, null));
        assertThat(plan.limits().cpuMilli()).isEqualTo(4_000);
        assertThat(plan.environment()).containsEntry("OMP_NUM_THREADS", "3");
    }

    @Test
    void whatIsNotAskedForIsAsUsual() {
        ContainerPlan plan = plan(Allocation.NONE);
        assertThat(plan.workingDirectory()).isEqualTo("/workspace");
        assertThat(plan.network()).isEqualTo("bridge");
        assertThat(plan.limits().cpuMilli()).isZero();
        assertThat(plan.limits().memoryBytes()).isZero();
        assertThat(plan.environment()).doesNotContainKey("OMP_NUM_THREADS");
    }

    @Test
    void coresOfItsOwnAreNamedToTheEngineAndToTheJob() {
        Allocation allocation = new Allocation(List.of(), List.of(5, 4));
        ContainerPlan plan = plan(
                false,
                Jobs.ADA,
                allocation,
                Map.of("BERTH_CPU_CORES", "0-63", "OMP_NUM_THREADS", "7"),
                options(1_500, null, null));
        assertThat(plan.limits().cpus()).containsExactly(4, 5);
        assertThat(plan.limits().cpuMilli()).isEqualTo(1_500);
        assertThat(plan.environment())
                .containsEntry("BERTH_CPU_CORES", "4,5")
                .containsEntry("MKL_NUM_THREADS", "2")
                .containsEntry("OMP_NUM_THREADS", "7");
    }

    @Test
    void withoutCoresOfItsOwnAJobRunsOnAllAndIsToldNothingOfThem() {
        ContainerPlan plan = plan(options(1_500, null, null), Map.of("BERTH_CPU_CORES", "0-63"));
        assertThat(plan.limits().cpus()).isEmpty();
        assertThat(plan.environment()).doesNotContainKey("BERTH_CPU_CORES");
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1000,1", "1001,2", "1500,2", "16000,16"})
    void librariesStartAsManyThreadsAsThereAreCpus(int cpuMilli, String threads) {
        ContainerPlan plan = plan(options(cpuMilli, null, null), Map.of("MKL_NUM_THREADS", "7"));
        assertThat(plan.environment())
                .containsEntry("OMP_NUM_THREADS", threads)
                .containsEntry("OPENBLAS_NUM_THREADS", threads)
                .containsEntry("NUMEXPR_NUM_THREADS", threads)
                .containsEntry("MKL_NUM_THREADS", "7");
    }
}
