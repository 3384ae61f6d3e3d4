package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.JobSpec;
import dev.berth.core.job.OutcomeReason;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.Signal;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import dev.berth.server.runner.target.Handed;
import dev.berth.server.runner.target.KeptOutput;
import dev.berth.server.runner.target.Phase;
import dev.berth.server.runner.target.Phase.End.ByEngine;
import dev.berth.server.runner.target.Phase.End.Exited;
import dev.berth.server.runner.target.Phase.End.NoImage;
import dev.berth.server.runner.target.Phase.Over;
import dev.berth.server.runner.target.TargetEngine.Reading.Stream;
import dev.berth.testclient.SlurmCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What programs get their surroundings from, on a real cluster; Docker's for real. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class SlurmLaunchersTest {
    private static final String IMAGE =
            Objects.requireNonNullElse(System.getenv("BERTH_TEST_IMAGE"), "berth-job:latest");

    private SlurmCluster cluster;
    private SlurmUser ada;
    private Path programs;

    @BeforeAll
    void startCluster() throws IOException {
        ada = SlurmUser.create("berth-launch-ada");
        SlurmCluster.run(List.of("usermod", "-aG", "docker", ada.submitter().name()), Map.of());
        cluster = SlurmCluster.start();
        programs = Files.createTempDirectory("programs");
        SlurmCluster.run(List.of("chmod", "755", programs.toString()), Map.of());
    }

    @AfterAll
    void removeCluster() {
        cluster.close();
        ada.close();
        SlurmCluster.run(List.of("rm", "-r", programs.toString()), Map.of());
    }

    private SlurmEngine engine(Container container) {
        return engine(container, "gpu");
    }

    private SlurmEngine engine(Container container, String partition) {
        SlurmSettings settings = SlurmJobs.settings(
                Map.of("SLURM_CONF", cluster.configuration()), cluster.shared().toString());
        return SlurmLab.engine(SlurmJobs.in(SlurmJobs.with(settings, new Launcher(container, null)), partition));
    }

    private Handed submit(SlurmEngine engine, long id, int gpus, String image, Program program) {
        JobSpec spec = Jobs.with(SlurmJobs.spec(gpus), InContainer.of("", image));
        Handed handed = SlurmJobs.handed(id, ada.submitter());
        engine.handOver(SlurmJobs.handover(handed, spec, program, null));
        return handed;
    }

    private static Over over(SlurmEngine engine, Handed handed) {
        while (true) {
            Phase phase = engine.look(List.of(handed)).get(handed);
            if (phase instanceof Over over) {
                return over;
            }
            SlurmCluster.pause();
        }
    }

    private static String written(SlurmEngine engine, Handed handed) {
        KeptOutput reading = KeptOutput.of(handed);
        assertThat(engine.collect(List.of(reading))).isFalse();
        return reading.text(Stream.OUTPUT) + reading.text(Stream.ERROR);
    }

    /** Stands in for a program that the build machine does not have: it prints its arguments. */
    private Map<String, String> recorded(String name) throws IOException {
        Path program = programs.resolve(name);
        Files.writeString(program, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        SlurmCluster.run(List.of("chmod", "755", program.toString()), Map.of());
        return Map.of("PATH", programs + ":/usr/bin:/bin");
    }

    private String directory(Handed handed) {
        return cluster.shared() + "/" + ada.submitter().name() + "/" + handed.name();
    }

    @Test
    void runsAProgramInAContainerOfDockers() {
        SlurmEngine engine = engine(Container.DOCKER);
        Program program = new Program(
                List.of(
                        "sh",
                        "-c",
                        "id -u; echo \"$SECRET [$NVIDIA_VISIBLE_DEVICES] $BERTH_JOB_ID\"; pwd; echo 1 >>"
                                + " \"$BERTH_TRACK\"; ls -d \"$HOME\"; exit 5"),
                Map.of("SECRET", "a\nb'c"));
        Handed handed = submit(engine, 1, 0, IMAGE, program);
        assertThat(over(engine, handed).end()).isEqualTo(new Exited(5, false));
        assertThat(written(engine, handed))
                .isEqualTo(ada.submitter().uid() + "\na\nb'c [void] 1\n" + directory(handed) + "/code\n"
                        + directory(handed) + "/home\n");
        assertThat(containers()).isEmpty();
    }

    @Test
    void leavesNoContainerOfACancelledJobBehind() {
        SlurmEngine engine = engine(Container.DOCKER);
        Handed handed = submit(engine, 2, 0, IMAGE, SlurmJobs.shell("trap '' TERM; echo ready; sleep 300"));
        while (!written(engine, handed).contains("ready")) {
            SlurmCluster.pause();
        }
        assertThat(containers()).isNotEmpty();
        engine.cancel(handed, Duration.ZERO);
        assertThat(over(engine, handed).end()).isInstanceOf(ByEngine.class);
        while (!containers().isEmpty()) {
            SlurmCluster.pause();
        }
    }

    /** Slurm's own time is over before: a second more of it would kill the script, and the container would stay. */
    @Test
    void givesAContainerNearlyAllOfTheTimeThatSlurmGives() throws IOException {
        Map<String, String> path = recorded("scontrol");
        Files.writeString(programs.resolve("scontrol"), "#!/bin/sh\necho 'KillWait                = 30 sec'\n");
        Files.writeString(
                programs.resolve("docker"),
                "#!/bin/sh\nif [ \"$1\" = stop ]; then echo \"$@\" >> " + programs
                        + "/stopped; fi\nexec /usr/bin/docker \"$@\"\n");
        SlurmCluster.run(List.of("chmod", "777", programs.resolve("docker").toString(), programs.toString()), Map.of());
        SlurmEngine engine = engine(Container.DOCKER);
        Handed handed = submit(
                engine,
                13,
                0,
                IMAGE,
                new Program(
                        SlurmJobs.shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.1; done")
                                .command(),
                        path));
        while (!written(engine, handed).contains("ready")) {
            SlurmCluster.pause();
        }
        engine.cancel(handed, Duration.ZERO);
        assertThat(over(engine, handed).end()).isInstanceOf(ByEngine.class);
        while (!Files.exists(programs.resolve("stopped"))) {
            SlurmCluster.pause();
        }
        assertThat(programs.resolve("stopped")).content().startsWith("stop -t 25 slurm-");
    }

    @ParameterizedTest
    @EnumSource(
            names = {"TERM", "INT"},
            mode = EnumSource.Mode.EXCLUDE)
    void aSignalReachesTheProgramAndEndsNothingElse(Signal signal) {
        SlurmEngine engine = engine(Container.DOCKER);
        Handed handed = submit(
                engine,
                20 + signal.number(),
                0,
                IMAGE,
                SlurmJobs.shell("trap 'echo heard; sleep 1; exit 9' " + signal.name()
                        + "; echo ready; while :; do sleep 0.1; done"));
        while (!written(engine, handed).contains("ready")) {
            SlurmCluster.pause();
        }
        assertThat(engine.signal(handed, signal)).isTrue();
        assertThat(over(engine, handed).end()).isEqualTo(new Exited(9, false));
        assertThat(containers()).isEmpty();
    }

    @Test
    void saysThatAnImageIsNotThere() {
        SlurmEngine engine = engine(Container.DOCKER);
        Handed handed = submit(engine, 5, 0, "localhost:1/no/such:image", SlurmJobs.shell("true"));
        assertThat(over(engine, handed).end())
                .isInstanceOfSatisfying(
                        NoImage.class,
                        end -> assertThat(end.words())
                                .matches(
                                        "is not on its node and cannot be pulled \\(job \\d+\\): the job's log has Docker's own"
                                                + " words; check the name, or pull or build it there first"));
        assertThat(written(engine, handed))
                .contains("Unable to find image 'localhost:1/no/such:image' locally")
                .containsPattern(
                        "berth: Docker on \\S+ could not start a container of image localhost:1/no/such:image");
        assertThat(containers()).isEmpty();
    }

    /** There is no NVIDIA runtime on the build machine. */
    @Test
    void saysThatDockerCannotStartAContainer() {
        SlurmEngine engine = engine(Container.DOCKER, "big");
        Handed handed = submit(engine, 9, 1, IMAGE, SlurmJobs.shell("true"));
        assertThat(over(engine, handed).end()).isInstanceOfSatisfying(ByEngine.class, end -> {
            assertThat(end.outcome().reason()).isEqualTo(OutcomeReason.START_FAILED);
            assertThat(end.outcome().sentence())
                    .matches(
                            "Docker could not start a container on its node \\(job \\d+\\): the job's log has Docker's own"
                                    + " words");
        });
        assertThat(containers()).isEmpty();
    }

    @Test
    void aProgramMayEndWithTheCodeOfAFailedStart() {
        SlurmEngine engine = engine(Container.DOCKER);
        Handed handed = submit(engine, 10, 0, IMAGE, SlurmJobs.shell("exit 125"));
        assertThat(over(engine, handed).end()).isEqualTo(new Exited(125, false));
    }

    @ParameterizedTest
    @EnumSource(names = {"APPTAINER", "PYXIS"})
    void saysThatTheFileOfAnImageIsNotThere(Container container) {
        SlurmEngine engine = engine(container);
        Handed handed =
                submit(engine, container == Container.PYXIS ? 12 : 11, 0, "/no/such.sif", SlurmJobs.shell("true"));
        assertThat(over(engine, handed).end())
                .isInstanceOfSatisfying(
                        NoImage.class, end -> assertThat(end.words()).startsWith("is not on its node (job "));
        assertThat(written(engine, handed)).contains("berth: there is no image /no/such.sif on ");
    }

    private static String containers() {
        return SlurmCluster.run(
                List.of("docker", "ps", "-aq", "--filter", "label=slurm.job", "--filter", "name=berth-test-"),
                Map.of());
    }

    /** The second GPU of a node: the numbers of the job may count from 0, and Docker's are the machine's. */
    @Test
    void givesDockerTheGpusByTheNumbersOfTheMachine() throws IOException {
        Map<String, String> path = recorded("docker");
        // What it says of a container's making goes nowhere.
        Files.writeString(
                programs.resolve("docker"),
                "#!/bin/sh\nif [ \"$1\" = create ]; then printf '%s ' \"$@\" >&2; fi\necho 0\n");
        SlurmEngine without = engine(Container.NONE, "big");
        Handed first = submit(without, 6, 1, IMAGE, SlurmJobs.shell("sleep 300"));
        while (!(without.look(List.of(first)).get(first) instanceof Phase.Alive)) {
            SlurmCluster.pause();
        }
        SlurmEngine engine = engine(Container.DOCKER, "big");
        Handed second = submit(engine, 7, 2, IMAGE, new Program(List.of("python", "a b"), path));
        over(engine, second);
        assertThat(written(engine, second))
                .contains(" --user " + ada.submitter().uid() + ":")
                .contains(" --gpus \"device=1,2\" " + IMAGE + " python a b ");
        without.cancel(first, Duration.ZERO);
        over(without, first);
    }

    @Test
    void imagesAreNamedAsEachLauncherNamesThem() {
        assertThat(Launchers.image(Container.APPTAINER, "/images/torch.sif")).isEqualTo("/images/torch.sif");
        assertThat(Launchers.image(Container.APPTAINER, "oras://lab/torch")).isEqualTo("oras://lab/torch");
        assertThat(Launchers.image(Container.APPTAINER, "python:3.13")).isEqualTo("docker://python:3.13");
        assertThat(Launchers.image(Container.PYXIS, "/images/torch.sqsh")).isEqualTo("/images/torch.sqsh");
        assertThat(Launchers.image(Container.PYXIS, "python:3.13")).isEqualTo("python:3.13");
        assertThat(Launchers.image(Container.DOCKER, "python:3.13")).isEqualTo("python:3.13");
    }

    @Test
    void callsApptainerWithoutGpusForAJobOfNone() throws IOException {
        SlurmEngine engine = engine(Container.APPTAINER);
        Map<String, String> path = recorded("apptainer");
        String image = programs.resolve("apptainer").toString();
        Handed handed = submit(engine, 8, 0, image, new Program(List.of("true"), path));
        over(engine, handed);
        assertThat(written(engine, handed).lines()).doesNotContain("--nv").contains(image);
    }

    @Test
    void callsApptainer() throws IOException {
        SlurmEngine engine = engine(Container.APPTAINER);
        Handed handed =
                submit(engine, 3, 1, "python:3.13", new Program(List.of("python", "a b"), recorded("apptainer")));
        over(engine, handed);
        assertThat(written(engine, handed).lines())
                .containsExactly(
                        "exec",
                        "--nv",
                        "--bind",
                        directory(handed),
                        "--pwd",
                        directory(handed) + "/code",
                        "--",
                        "docker://python:3.13",
                        "python",
                        "a b");
    }

    @Test
    void callsPyxis() throws IOException {
        SlurmEngine engine = engine(Container.PYXIS);
        Handed handed =
                submit(engine, 4, 0, "nvcr.io/nvidia/pytorch:24.01", new Program(List.of("-x"), recorded("srun")));
        over(engine, handed);
        assertThat(written(engine, handed).lines())
                .containsExactly(
                        "--ntasks=1",
                        "--export=ALL",
                        "--container-image=nvcr.io#nvidia/pytorch:24.01",
                        "--container-mounts=" + directory(handed) + ":" + directory(handed),
                        "--container-workdir=" + directory(handed) + "/code",
                        "--no-container-mount-home",
                        "--",
                        "-x");
    }
}
