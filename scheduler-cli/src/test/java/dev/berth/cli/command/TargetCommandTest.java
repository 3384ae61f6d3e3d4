package dev.berth.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.cli.Samples;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.json.JsonObject;
import dev.berth.cli.json.JsonText;
import dev.berth.cli.json.Views;
import dev.berth.core.api.ApiError;
import dev.berth.core.api.DoctorFinding;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.JobList;
import dev.berth.core.api.JobView;
import dev.berth.core.api.SnapshotView;
import dev.berth.core.api.TargetList;
import dev.berth.core.api.TargetView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code berth targets}, targets in submits and of jobs, and {@code berth doctor --target}. */
class TargetCommandTest {
    private static final String LIST = "GET /api/v1/targets";
    private static final TargetList TARGETS = new TargetList(List.of(
            new TargetView(
                    "scheduler",
                    "Berth",
                    "ok",
                    "this machine's own queue",
                    "4 GPUs, 4 jobs at once",
                    "strict first in, first out",
                    true,
                    null,
                    7),
            new TargetView("cluster", "Slurm", "unwell", "no node is up", "", "by priority", false, 100, 0)));

    @RegisterExtension
    private final CommandStage stage = CommandStage.open();

    private Path code() throws IOException {
        Path code = Files.createDirectory(stage.directory().resolve("code"));
        Files.writeString(code.resolve("main.py"), "");
        return code;
    }

    private void accepting(JobView job) {
        stage.server()
                .json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 0, List.of()))
                .json("POST /api/v1/jobs", 201, job);
    }

    private String sent() {
        return stage.server().received().getLast().text();
    }

    private static JobView onCluster() {
        String json = JsonText.of(Samples.queued(17, 3))
                .replace("\"target\":null", "\"target\":\"cluster\"")
                .replace("\"targetKind\":null", "\"targetKind\":\"Slurm\"");
        return Views.job(JsonObject.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void targetsAreListedAndWhatIsWrongWithOneIsSaid() {
        stage.server().json(LIST, 200, TARGETS);
        assertThat(stage.run("targets")).isZero();
        assertThat(stage.out()).isEqualTo("""
                        NAME        KIND    STATE                   JOBS   HOLDS                    ORDER
                        scheduler   Berth   ok                      7      4 GPUs, 4 jobs at once   strict first in, first out
                        cluster     Slurm   unwell, closed to you   0      -                        by priority
                        """);
        assertThat(stage.err()).contains("target cluster: no node is up");
    }

    @Test
    void programsGetTheAnswerAndScriptsTheNames() {
        stage.server().json(LIST, 200, TARGETS).json(LIST, 200, TARGETS);
        assertThat(stage.run("targets", "--json")).isZero();
        assertThat(stage.out()).isEqualTo(JsonText.of(TARGETS) + "\n");
        assertThat(stage.run("targets", "-q")).isZero();
        assertThat(stage.out()).endsWith("\nscheduler\ncluster\n");
    }

    @Test
    void theFirstWordOfASubmitIsItsTarget() throws IOException {
        accepting(onCluster());
        assertThat(stage.run("submit", "cluster", code().toString(), "main.py"))
                .as(stage.err())
                .isZero();
        assertThat(sent()).contains("\"target\":\"cluster\"");
    }

    @Test
    void aSubmitToTheMachinesOwnQueueNamesNone() throws IOException {
        accepting(Samples.queued(17, 3));
        assertThat(stage.run("submit", "scheduler", code().toString(), "main.py"))
                .as(stage.err())
                .isZero();
        assertThat(sent()).doesNotContain("target");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "./code", "main.py", "Cluster", "-", "a-", "abcdefghijabcdefghijabcdefghijx"})
    void whatIsNoTargetsNameIsRefusedHere(String word) throws IOException {
        assertThat(stage.run("submit", "--", word, code().toString(), "main.py"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth submit");
        assertThat(stage.server().received()).isEmpty();
    }

    @Test
    void aTargetThatIsNotThereIsTheServersRefusal() throws IOException {
        String rule = "is no target of this server; did you mean cluster? berth targets lists them";
        stage.server()
                .json("POST /api/v1/snapshots", 200, new SnapshotView("ab", 1, 0, List.of()))
                .json(
                        "POST /api/v1/jobs",
                        400,
                        new ApiError(
                                "INVALID_FIELD",
                                "target: 'clutser' " + rule,
                                Map.of("field", "target", "value", "clutser", "rule", rule)));
        assertThat(stage.run("submit", "clutser", code().toString(), "main.py")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("target: 'clutser' " + rule);
    }

    @Test
    void aJobFileNamesItsTarget() throws IOException {
        Path file = Files.writeString(code().resolve("berth.yaml"), "target: cluster\ncommand: main.py\n");
        accepting(onCluster());
        assertThat(stage.run("submit", "--file", file.toString()))
                .as(stage.err())
                .isZero();
        assertThat(sent()).contains("\"target\":\"cluster\"");
    }

    @Test
    void theLinesTargetCountsAndTheFilesIsTold() throws IOException {
        Path code = code();
        Files.writeString(code.resolve("berth.yaml"), "target: cluster\ncommand: main.py\n");
        accepting(Samples.queued(17, 3));
        assertThat(stage.run("submit", "scheduler", code.toString()))
                .as(stage.err())
                .isZero();
        assertThat(sent()).doesNotContain("target");
        assertThat(stage.err())
                .contains("berth.yaml:1: target cluster means nothing here, as the line names scheduler");
    }

    @Test
    void aJobFilesTargetIsAName() throws IOException {
        Path file = Files.writeString(code().resolve("berth.yaml"), "target: ../x\ncommand: main.py\n");
        assertThat(stage.run("submit", "--file", file.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err())
                .contains("berth.yaml:1: target: '../x' is no target's name; berth targets lists those that there are");
    }

    @Test
    void aJobShowsItsTarget() {
        stage.server().json("GET /api/v1/jobs/17", 200, onCluster());
        assertThat(stage.run("status", "17")).isZero();
        assertThat(stage.out()).containsPattern("(?m)^target +cluster \\(Slurm\\)$");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListHasTargetsWhereAJobHasOne(boolean isThere) {
        List<JobView> jobs = isThere ? List.of(Samples.running(16), onCluster()) : List.of(Samples.running(16));
        stage.server().json("GET /api/v1/jobs?scope=active&limit=1000", 200, new JobList(jobs, null));
        assertThat(stage.run("ps")).isZero();
        assertThat(stage.out().contains("TARGET")).isEqualTo(isThere);
        assertThat(stage.out().contains("cluster")).isEqualTo(isThere);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void soHasTheHistory(boolean isThere) {
        JobView ended = Samples.ended(9, "FAILED", 3);
        List<JobView> jobs = isThere ? List.of(Samples.atTarget(ended), ended) : List.of(ended);
        stage.server().json("GET /api/v1/jobs?scope=ended&limit=100", 200, new JobList(jobs, null));
        assertThat(stage.run("history")).isZero();
        String[] lines = stage.out().split("\n");
        if (isThere) {
            assertThat(lines[0]).containsPattern("STATE +TARGET +GPUS");
            assertThat(lines[1]).containsPattern("FAILED +cluster +1");
            assertThat(lines[2]).containsPattern("FAILED +- +1");
        } else {
            assertThat(lines[0]).containsPattern("STATE +GPUS");
        }
    }

    @Test
    void aFormatMayNameTheTarget() {
        stage.server()
                .json(
                        "GET /api/v1/jobs?scope=active&limit=1000",
                        200,
                        new JobList(List.of(Samples.running(16), onCluster()), null));
        assertThat(stage.run("ps", "--format", "{{.ID}} at {{.Target}}")).isZero();
        assertThat(stage.out()).isEqualTo("16 at \n17 at cluster\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "lease"})
    void programsOfTheMachineItselfGoNowhereElse(String verb) {
        assertThat(stage.run(verb, "--target", "cluster", "--", "true")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("berth run and berth lease use this machine alone");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theDoctorExaminesATarget(boolean isReady) {
        DoctorFinding account =
                new DoctorFinding("account", "failure", "there is no account lab", "sacctmgr add account lab", null);
        DoctorFinding well = new DoctorFinding("sbatch", "ok", "a job ran and ended", null, null);
        stage.server()
                .json(
                        "POST /api/v1/targets/cluster/doctor?gpus=0",
                        200,
                        new DoctorView(
                                isReady,
                                isReady ? "cluster runs jobs" : "it does not",
                                isReady ? List.of(well) : List.of(well, account)));
        assertThat(stage.run("doctor", "--target", "cluster")).isEqualTo(isReady ? 0 : ExitCode.REFUSED);
        assertThat(stage.out()).contains("ok    sbatch       a job ran and ended");
        assertThat(stage.out().contains("fix: sacctmgr add account lab")).isNotEqualTo(isReady);
    }

    @Test
    void theDoctorTriesAJobOfAnImageWithGpus() {
        stage.server()
                .json(
                        "POST /api/v1/targets/cluster/doctor?gpus=2&image=lab/gpu%3A1",
                        200, new DoctorView(true, "cluster runs jobs", List.of()));
        assertThat(stage.run("doctor", "--target", "cluster", "--image", "lab/gpu:1", "--num-gpus", "2"))
                .isEqualTo(ExitCode.OK);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--num-gpus 1 | --num-gpus is of the job that is tried at a target: name one with --target",
                "--target cluster --num-gpus many | --num-gpus",
                "--target cluster --num-gpus 1025 | --num-gpus",
                "--target cluster --num-gpus 0.5 | --num-gpus",
            })
    void theDoctorsGpusAreANumberAtATarget(String options, String sentence) {
        assertThat(stage.run(("doctor " + options).split(" "))).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains(sentence);
        assertThat(stage.server().received()).isEmpty();
    }

    @Test
    void theDoctorsTargetIsAName() {
        assertThat(stage.run("doctor", "--target", "a/b")).isEqualTo(ExitCode.USAGE);
        assertThat(stage.err()).contains("--target: 'a/b' is no target's name");
        assertThat(stage.server().received()).isEmpty();
    }
}
