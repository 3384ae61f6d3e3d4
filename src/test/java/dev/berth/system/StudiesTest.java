package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Product;
import dev.berth.system.fixture.ProjectDirectory;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SubmittedJob;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Studies as people have them: a script for Slurm, a pipeline in a file, QHub's profiles, a bisection. One server runs all. */
@SystemTest
class StudiesTest {
    /** The image that the seed's profile names. */
    private static final String SEED_IMAGE = "quansight/qhub-jupyterlab:v0.3.13";

    private static final String SBATCH = """
            #!/bin/bash
            #SBATCH --job-name=seeds
            #SBATCH --array=0-3%2
            #SBATCH --time=0:10:00
            #SBATCH --cpus-per-task=1
            #SBATCH --mem=128M
            #SBATCH --gres=gpu:1
            #SBATCH --output=slurm-%A_%a.out
            #SBATCH --partition=gpu

            set -euo pipefail
            begin=$(date +%s%N)
            seeds=(11 23 47 91)
            sleep 0.3
            echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID seed ${seeds[$SLURM_ARRAY_TASK_ID]}"
            echo "$SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX, $SLURM_ARRAY_TASK_COUNT tasks"
            echo "$begin $(date +%s%N)"
            """;

    private static final String PIPELINE = """
            num-gpus: 1
            jobs:
              prepare:
                command: python3 record.py 0.5
              train:
                command: python3 task.py 0.2
                array: 0-3%2
                after: prepare
              evaluate:
                command: python3 record.py 0
                after: train
            """;

    private static final String SMALL_PROFILE = """
              - display_name: Small Instance
                description: as much as a test needs
                kubespawner_override:
                  cpu_limit: 0.5
                  cpu_guarantee: 0.25
                  mem_limit: 64M
                  mem_guarantee: 48M
                  image: IMAGE
                  extra_pod_config:
                    volumes:
                    - name: dshm
                      emptyDir: {medium: Memory, sizeLimit: 16Mi}
                  extra_container_config:
                    volumeMounts:
                    - {name: dshm, mountPath: /dev/shm}
            """;

    /** What the kernel holds the container to, by version 1 or 2 of its cgroups. */
    private static final String LIMITS = """
            #!/bin/sh
            cd /sys/fs/cgroup
            cat memory.max 2>/dev/null || cat memory/memory.limit_in_bytes
            cat cpu.max 2>/dev/null || echo $(cat cpu/cpu.cfs_quota_us) $(cat cpu/cpu.cfs_period_us)
            df -k /dev/shm | awk 'END { print $2 }'
            """;

    /** One step: the middle of what is still in question is looked at, and half of it is left for the next. */
    private static final String BISECT = """
            #!/bin/sh
            while [ ! -e /state/gate ]; do sleep 0.05; done
            read good bad < /state/range
            middle=$(( (good + bad) / 2 ))
            sleep 0.2
            if [ "$middle" -ge "$1" ]; then bad=$middle; else good=$middle; fi
            echo "$good $bad" > /state/range
            """;

    private static final Engine ENGINE = Engine.ofMachine();
    private static final Berth BERTH = Berth.on(ENGINE);

    private record Interval(long begin, long end) {}

    @BeforeAll
    static void start() {
        Path profiles = TestFiles.write(
                BERTH.home().resolve("profiles.yaml"),
                TestFiles.read(Product.ROOT.resolve("scheduler-server/src/test/resources/profiles/seed.yaml"))
                        + SMALL_PROFILE.replace("IMAGE", Engine.IMAGE));
        Ran _ = BERTH.start(
                Map.of("BERTH_PROFILES_FILE", profiles.toString()),
                "--simulate-gpus",
                "4",
                "-g",
                "--set",
                "booking.cores=false");
    }

    @AfterAll
    static void stop() {
        BERTH.close();
    }

    @Test
    void aScriptForSlurmRunsAsItStands() {
        ProjectDirectory project = BERTH.project().file("train.sh", SBATCH);
        Ran submit = BERTH.run("submit", "--json", "scheduler", project.path().toString(), "bash", "train.sh");
        assertThat(submit.complaint()).contains("of its #SBATCH lines --output, --partition mean nothing here");
        SubmittedJob array = SubmittedJob.of(BERTH, submit.json()).awaitCompleted();

        assertThat(array.view().path("name").asText()).isEqualTo("seeds");
        List<Interval> intervals = new ArrayList<>();
        List<String> seeds = List.of("11", "23", "47", "91");
        for (int index = 0; index < seeds.size(); index++) {
            List<String> log = BERTH.run("logs", array.idText() + "_" + index).lines();
            assertThat(log.subList(0, 2))
                    .containsExactly(
                            "task " + index + " of " + array.idText() + " seed " + seeds.get(index), "0-3, 4 tasks");
            String[] times = log.get(2).split(" ", -1);
            intervals.add(new Interval(Long.parseLong(times[0]), Long.parseLong(times[1])));
            JsonNode task = task(array, index);
            assertThat(task.path("gpus").asInt()).isEqualTo(1);
            assertThat(task.path("memoryBytes").asLong()).isEqualTo(128L << 20);
            assertThat(task.path("timeLimitSeconds").asLong()).isEqualTo(600);
        }
        assertThat(intervals)
                .as("at most two at a time")
                .allMatch(one -> intervals.stream()
                                .filter(other -> other.begin() <= one.begin() && one.begin() < other.end())
                                .count()
                        <= 2);
    }

    @Test
    void aPipelineStartsInItsOrder() {
        ProjectDirectory project = BERTH.project("record.py", "task.py").file("pipeline.yaml", PIPELINE);
        List<SubmittedJob> jobs =
                BERTH
                        .run(
                                "submit",
                                "--json",
                                "--file",
                                project.path().resolve("pipeline.yaml").toString())
                        .lines()
                        .stream()
                        .map(line -> SubmittedJob.of(BERTH, JsonReading.of(line)))
                        .toList();
        jobs.forEach(SubmittedJob::awaitCompleted);

        long prepared = jobs.getFirst().record().end();
        long evaluated = jobs.getLast().record().begin();
        for (int index = 0; index < 4; index++) {
            JsonNode record = record(jobs.get(1), index);
            assertThat(record.path("begin").asLong()).isGreaterThan(prepared);
            assertThat(record.path("end").asLong()).isLessThan(evaluated);
            assertThat(record.path("told").path("BERTH_JOB_ID").asText())
                    .isEqualTo(jobs.get(1).idText() + "_" + index);
        }
    }

    @Test
    void aPipelineWithOneWrongStageQueuesNone() {
        String before = BERTH.run("ps", "-a", "-q").text();
        assertRefused(PIPELINE.replace("0-3%2", "3-0"), 7, "array");
        assertRefused(PIPELINE.replace("after: train", "after: trian"), 11, "trian");
        assertRefused(PIPELINE.replace("    after: train", "    num-gpus: 5"), 9, "evaluate");
        assertThat(BERTH.run("ps", "-a", "-q").text()).isEqualTo(before);
    }

    @Test
    void theSeedsProfileIsTakenAsItStands() {
        Ran _ = ENGINE.docker("tag", Engine.IMAGE, SEED_IMAGE);
        try {
            JsonNode profile =
                    BERTH.run("profiles", "--json").json().path("profiles").path(0);
            assertThat(profile.path("memoryBytes").asLong()).isEqualTo(32L << 30);
            assertThat(profile.path("cpuMilli").asLong()).isEqualTo(8_000);
            ProjectDirectory project = BERTH.project("record.py");
            // What a machine of the tests has not is said on the line.
            SubmittedJob job = BERTH.submit(
                    project,
                    "record.py",
                    "--profile",
                    "Large GPU Instance",
                    "--cpus",
                    "1",
                    "--memory",
                    "128m",
                    "--",
                    "gate");
            JsonNode environment = job.awaitBegun().whole().path("environment");

            assertThat(environment.path("BERTH_NUM_GPUS").asText()).isEqualTo("1");
            assertThat(ENGINE.docker(
                                    "inspect",
                                    "--format",
                                    "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}",
                                    job.container())
                            .text())
                    .isEqualTo((128L << 20) + " 1000000000");
            assertThat(job.view().path("image").asText()).isEqualTo(SEED_IMAGE);
            job.open();
            job.awaitCompleted();
        } finally {
            Ran _ = ENGINE.docker("rmi", SEED_IMAGE);
        }
    }

    @Test
    void theLimitsOfAProfileAreEnforced() {
        ProjectDirectory project = BERTH.project()
                .file("limits.sh", LIMITS)
                .file("eat.sh", "#!/bin/sh\nx=0123456789\nwhile :; do x=$x$x; done\n");
        SubmittedJob eater = BERTH.submit(project, "./eat.sh", "--profile", "Small Instance");
        SubmittedJob job = BERTH.submit(project, "./limits.sh", "--profile", "Small Instance")
                .awaitCompleted();

        assertThat(BERTH.run("logs", job.idText()).lines())
                .containsExactly(Long.toString(64L << 20), "50000 100000", Long.toString(16L << 10));
        eater.await("OUT_OF_MEMORY");
    }

    @Test
    void aBisectionIsAChainOfWhatIsThereAlready() {
        Path state = TestFiles.folder(BERTH.home().resolve("state"));
        Path range = TestFiles.write(state.resolve("range"), "0 64\n");
        ProjectDirectory project = BERTH.project().file("bisect.sh", BISECT);
        List<String> words = new ArrayList<>(List.of("-v", state + ":/state:rw", "--name", "bisect"));
        SubmittedJob step = bisect(project, words);
        words.addAll(List.of("--after", "last"));
        for (int more = 1; more < 6; more++) {
            step = bisect(project, words);
        }
        Path _ = TestFiles.write(state.resolve("gate"), "");
        step.awaitCompleted();
        assertThat(TestFiles.read(range)).isEqualTo("36 37\n");
    }

    private static SubmittedJob bisect(ProjectDirectory project, List<String> options) {
        List<String> words = new ArrayList<>(List.of("./bisect.sh", "--num-gpus", "1"));
        words.addAll(options);
        words.addAll(List.of("--", "37"));
        return BERTH.submit(project, words.toArray(String[]::new));
    }

    /** With the file's line, and a word that the sentence has. */
    private static void assertRefused(String pipeline, int line, String word) {
        Path file = BERTH.project("record.py", "task.py")
                .file("pipeline.yaml", pipeline)
                .path()
                .resolve("pipeline.yaml");
        Ran submit = BERTH.command("submit", "--file", file.toString()).run();
        assertThat(submit.exitCode()).isNotZero();
        assertThat(submit.complaint()).contains("pipeline.yaml:" + line + ":", word);
    }

    private static JsonNode task(SubmittedJob array, int index) {
        return BERTH.api().get("/jobs/" + array.idText() + "_" + index).json();
    }

    private static JsonNode record(SubmittedJob array, int index) {
        return JsonReading.of(TestFiles.read(
                Path.of(task(array, index).path("outputDirectory").asText()).resolve("record.json")));
    }
}
