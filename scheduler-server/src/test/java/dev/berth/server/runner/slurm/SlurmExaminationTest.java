package dev.berth.server.runner.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.GpuRequest;
import dev.berth.server.example.Jobs;
import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetDirectory.Trial;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Finding.Verdict;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.runner.target.Targets.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an examination finds at a real cluster, and how it says that it is mended. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(180)
class SlurmExaminationTest {
    private SlurmLab lab;

    @BeforeAll
    void startLab() {
        lab = SlurmLab.start("examined");
    }

    @AfterAll
    void closeLab() {
        lab.close();
    }

    private static List<Finding> amiss(SlurmSettings settings) {
        return SlurmLab.engine(settings).examine(Jobs.ADA).stream()
                .filter(finding -> !finding.isWell())
                .toList();
    }

    /** Asserts that this alone is amiss. */
    private static void assertOnly(SlurmSettings settings, String name, String sentence, String remedy) {
        assertThat(amiss(settings)).singleElement().satisfies(finding -> assertSays(finding, name, sentence, remedy));
    }

    private static void assertSays(Finding finding, String name, String sentence, String remedy) {
        assertThat(finding.name()).isEqualTo(name);
        assertThat(finding.sentence()).contains(sentence);
        assertThat(finding.remedy().orElse("")).contains(remedy);
    }

    @Test
    void findsAllWellWhereNothingIsMissing() {
        List<Finding> findings = lab.engine().examine(Jobs.ADA);
        assertThat(findings).allMatch(Finding::isWell);
        assertThat(findings)
                .extracting(Finding::name)
                .containsExactly(
                        "sbatch",
                        "squeue",
                        "scancel",
                        "scontrol",
                        "sinfo",
                        "sacct",
                        "controller",
                        "nodes",
                        "partition",
                        "accounts",
                        "directory");
        assertThat(lab.engine().health().capacity()).isEqualTo("3 nodes, 24 cores, 8 GPUs");
        assertThat(lab.engine().health().order()).startsWith("first in, first out");
    }

    @Test
    void namesAProgramThatIsNotThere(@TempDir Path folder) throws IOException {
        for (String name : List.of("squeue", "scancel", "scontrol", "sinfo", "sacct", "sacctmgr")) {
            Files.createSymbolicLink(folder.resolve(name), Path.of("/usr/bin", name));
        }
        assertOnly(SlurmJobs.programs(lab.settings(), folder), "sbatch", "sbatch", "install slurm-client");
    }

    /** Programs that are there and find no configuration are not to be installed. */
    @Test
    void saysWhereTheConfigurationOfSlurmsProgramsIsSet() {
        assertThat(amiss(SlurmJobs.settings(Map.of(), lab.settings().directory()))
                        .getFirst())
                .satisfies(finding -> {
                    assertSays(finding, "sbatch", "set SLURM_CONF in targets.NAME.slurm.environment", "");
                    assertThat(finding.sentence()).doesNotContain("install");
                    assertThat(finding.remedy()).isEmpty();
                });
    }

    @Test
    void namesThePartitionsThereAre() {
        assertThat(amiss(SlurmJobs.in(lab.settings(), "nosuch")))
                .satisfiesExactly(
                        nodes -> assertSays(nodes, "nodes", "no node is in the partition", "sinfo -R"),
                        partition -> assertSays(
                                partition,
                                "partition",
                                "Slurm has no partition nosuch",
                                "set targets.NAME.slurm.partition to one of: gpu*, big, short"));
    }

    @Test
    void saysThatTheClusterHasNoDefaultPartition() {
        lab.cluster().ask("scontrol", "update", "PartitionName=gpu", "Default=NO");
        try {
            assertOnly(
                    lab.settings(),
                    "partition",
                    "the cluster has no default partition, and the target names none",
                    "set targets.NAME.slurm.partition to one of: gpu, big, short");
        } finally {
            lab.cluster().ask("scontrol", "update", "PartitionName=gpu", "Default=YES");
        }
    }

    @Test
    void saysThatNoNodeCanRunAJob() {
        lab.cluster().script("node", "node3", "down");
        try {
            assertOnly(
                    SlurmJobs.in(lab.settings(), "big"),
                    "nodes",
                    "no node can run a job: Slurm ",
                    "scontrol update NodeName=NAME State=RESUME");
        } finally {
            lab.cluster().script("node", "node3", "resume");
            lab.untilNodesAreUp();
        }
    }

    @Test
    void saysThatSlurmDoesNotKnowTheAccount() {
        assertOnly(
                SlurmJobs.from(lab.settings(), "nosuch"),
                "accounts",
                "Slurm knows no account nosuch",
                "sacctmgr add account nosuch");
    }

    @Test
    void saysThatTheDirectoryCannotBeWrittenTo() {
        assertOnly(
                SlurmJobs.below(lab.settings(), Path.of("/proc/berth")),
                "directory",
                "/proc/berth",
                "set targets.NAME.slurm.directory to one that the nodes see and users write to");
    }

    private Finding tried(SlurmSettings settings) throws InterruptedException {
        return tried(settings, 0);
    }

    /** The last finding where a job of ada's is tried, with so many GPUs, at a target of these settings. */
    private Finding tried(SlurmSettings settings, int gpus) throws InterruptedException {
        Target target = new Target(new TargetSettings("lab", 5, List.of()), SlurmLab.engine(settings));
        TargetDirectory targets = new TargetDirectory(
                "s", new Targets(new TreeMap<>(Map.of("lab", target))), (_, _) -> false, (_, _) -> 0);
        return targets.examine(target, new Trial(lab.ada().submitter(), null, GpuRequest.whole(gpus)), Instant.now())
                .getLast();
    }

    @Test
    void saysWhereThereIsMoreOfATriedJobThatEndedBadly() throws InterruptedException {
        Launcher broken = new Launcher(Container.NONE, "echo no surroundings\nexit 9\n");
        Finding finding = tried(SlurmJobs.with(lab.settings(), broken));
        assertThat(finding.isWell()).isFalse();
        Matcher sentence = Pattern.compile(
                        "the job \\((\\d+)\\) ended with exit code 9, and not 0; it wrote: no surroundings")
                .matcher(finding.sentence());
        assertThat(sentence.matches()).as(finding.sentence()).isTrue();
        String show = "scontrol show job " + sentence.group(1);
        assertThat(finding.remedy().orElse("")).startsWith(show + " says more");
        assertThat(lab.cluster().ask(show.split(" "))).contains("ExitCode=9:0", "StdOut=");
    }

    /** NVIDIA's program, which the nodes here do not have, is played. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "for gpu in $(echo $CUDA_VISIBLE_DEVICES : tr , ' '); do echo GPU $gpu; done | WELL | saw no more and no less",
                "echo GPU 0: made up | FAILURE | and sees 1 of them",
                "seq -f 'GPU %g: made up' 4 | WARNING | and sees 4: nothing keeps jobs from the GPUs of others",
                "echo no driver; exit 9 | FAILURE | and 'nvidia-smi -L' in it ended with exit code 9: no driver",
            },
            quoteCharacter = '"')
    void tellsWhichGpusATriedJobSees(String said, Verdict verdict, String sentence) throws InterruptedException {
        Launcher played = new Launcher(Container.NONE, """
                mkdir bin
                cat > bin/nvidia-smi <<'END'
                #!/bin/sh
                %s
                END
                chmod +x bin/nvidia-smi
                PATH=$PWD/bin:$PATH exec "$@"
                """.formatted(said.replace(" : ", " | ")));
        Finding finding = tried(SlurmJobs.with(lab.settings(), played), 2);
        assertThat(finding.verdict()).as(finding.sentence()).isEqualTo(verdict);
        assertThat(finding.sentence())
                .startsWith("a job of " + lab.ada().submitter().name() + " with 2 GPUs ran (")
                .contains(sentence);
    }

    @Test
    void saysWhereItIsSetWhatSlurmDoesNotTake() throws InterruptedException {
        assertSays(
                tried(SlurmJobs.asking(lab.settings(), "--constraint=nosuch")),
                "trial",
                "could not be handed over: ",
                "berth config show says what target lab asks for");
    }

    /** The last one: a controller that is killed may forget jobs of before, and have them start anew minutes later. */
    @Test
    @Order(Integer.MAX_VALUE)
    void saysThatTheControllerDoesNotAnswer() {
        lab.cluster().script("controller", "kill");
        try {
            assertThat(amiss(lab.settings())).extracting(Finding::name).contains("controller", "nodes");
        } finally {
            lab.cluster().script("controller", "start");
            lab.untilNodesAreUp();
        }
    }
}
