package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.target.AnsweringEngine;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetEngine.Finding;
import dev.berth.server.runner.target.TargetEngine.Health;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Targets over the API: how each is, for whom it is, and what an examination of one finds. */
@Timeout(60)
class TargetsApiTest {
    private static final AnsweringEngine LAME = new AnsweringEngine(
            "Kubernetes",
            () -> new Health(false, "no node is ready", "", "as Kueue orders them"),
            () -> List.of(
                    Finding.well("api", "answers"),
                    Finding.warning("starts", "a program may begin twice", "bring the cluster to 1.26"),
                    Finding.failure("namespace", "there is no namespace jobs", "kubectl create namespace jobs")));

    @TempDir
    private Path directory;

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() {
        SortedMap<String, Target> targets = new TreeMap<>();
        targets.put("cluster", new Target(new TargetSettings("cluster", 50, List.of()), AnsweringEngine.well()));
        targets.put("k8s", new Target(new TargetSettings("k8s", 1, List.of("nobody-else")), LAME));
        targets.put(
                "zoo",
                new Target(
                        new TargetSettings("zoo", 5, List.of()),
                        AnsweringEngine.failing(Kind.UNREACHABLE, "ssh: no route to login.example.org")));
        fixture = new ServerFixture(
                directory,
                new TargetDirectory(
                        "s",
                        new Targets(targets),
                        (_, _) -> false,
                        (name, owner) -> owner == null ? name.length() : 0));
    }

    @Test
    void eachTargetIsListedBehindTheMachinesOwnQueue() {
        JsonNode targets = fixture.get("/api/v1/targets").expect(200).json().path("targets");
        assertThat(targets.findValuesAsText("name")).containsExactly("scheduler", "cluster", "k8s", "zoo");
        assertThat(targets.findValuesAsText("kind")).containsExactly("Berth", "Slurm", "Kubernetes", "Slurm");
        assertThat(targets.findValuesAsText("state")).containsExactly("ok", "ok", "unwell", "unreachable");
        assertThat(targets.findValuesAsText("jobs")).containsExactly("0", "7", "3", "3");
        assertThat(targets.findValuesAsText("open")).containsOnly("true");
        JsonNode own = targets.path(0);
        assertThat(own.path("capacity").asText()).isEqualTo("4 GPUs, 4 jobs at once");
        assertThat(own.path("order").asText()).isEqualTo("strict first in, first out");
        assertThat(own.path("atOnce").isNull()).isTrue();
        assertThat(targets.path(1).path("capacity").asText()).isEqualTo("2 nodes, 4 GPUs");
        assertThat(targets.path(1).path("atOnce").asInt()).isEqualTo(50);
        assertThat(targets.path(2).path("order").asText())
                .isEqualTo("first in, first out: it is given one job at a time");
        assertThat(targets.path(3).path("sentence").asText()).isEqualTo("ssh: no route to login.example.org");
        assertThat(targets.path(3).path("order").asText()).isEqualTo("as Slurm orders them");
    }

    @Test
    void anExaminationSaysWhatMendsWhatIsMissing() {
        JsonNode well =
                fixture.post("/api/v1/targets/cluster/doctor", "").expect(200).json();
        assertThat(well.path("ready").asBoolean()).isTrue();
        assertThat(well.path("sentence").asText()).isEqualTo("cluster runs jobs");
        assertThat(well.path("findings").path(1).path("sentence").asText()).endsWith("add --image IMAGE to try one");
        JsonNode lame =
                fixture.post("/api/v1/targets/k8s/doctor", "").expect(200).json();
        assertThat(lame.path("ready").asBoolean()).isFalse();
        assertThat(lame.path("findings").findValuesAsText("verdict")).containsExactly("ok", "warning", "failure");
        assertThat(lame.path("findings").path(2).path("mend").asText()).isEqualTo("kubectl create namespace jobs");
        JsonNode zoo =
                fixture.post("/api/v1/targets/zoo/doctor", "").expect(200).json();
        assertThat(zoo.path("ready").asBoolean()).isFalse();
        assertThat(zoo.path("findings").path(0).path("sentence").asText())
                .isEqualTo("ssh: no route to login.example.org");
    }

    @Test
    void whatCannotBeTriedIsRefused() {
        assertThat(fixture.post("/api/v1/targets/cluster/doctor?image=a%20b", "")
                        .expect(400)
                        .message())
                .startsWith("image: 'a b'");
        assertThat(fixture.post("/api/v1/targets/cluster/doctor?gpus=1025", "")
                        .expect(400)
                        .message())
                .isEqualTo("gpus: '1025' must be a whole number from 0 to 1024");
    }

    @Test
    void whatIsNoTargetIsNotExamined() {
        Answer unknown = fixture.post("/api/v1/targets/clutser/doctor", "");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.code()).isEqualTo("NO_SUCH_TARGET");
        assertThat(unknown.message())
                .isEqualTo(
                        "there is no target 'clutser'; did you mean cluster? berth targets lists those that there are");
        Answer own = fixture.post("/api/v1/targets/scheduler/doctor", "");
        assertThat(own.status()).isEqualTo(409);
        assertThat(own.code()).isEqualTo("NOT_BEYOND");
    }
}
