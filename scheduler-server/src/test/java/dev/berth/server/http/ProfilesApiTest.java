package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.JobId;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.StateName;
import dev.berth.server.config.Settings;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.target.Handover;
import dev.berth.server.runner.target.PlayedEngine;
import dev.berth.server.runner.target.TargetEngine.Abilities;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.runner.target.TargetSettings;
import dev.berth.server.runner.target.Targets;
import dev.berth.server.runner.target.Targets.Target;
import dev.berth.server.store.Token;
import dev.berth.testclient.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Profiles over the API: who sees which, and what a job becomes by one. */
@Timeout(60)
class ProfilesApiTest {
    private static final String FILE = """
            profiles:
              jupyterlab:
              - display_name: Small
                default: true
                kubespawner_override: {cpu_limit: 2, cpu_guarantee: 1.5, mem_limit: 64M, mem_guarantee: 32M}
              - display_name: GPU Server
                description: a GPU and what goes with it
                access: yaml
                users: [bin]
                groups: [daemon]
                kubespawner_override:
                  mem_limit: 128M
                  mem_guarantee: 96M
                  image: lab/gpu:1
                  extra_resource_limits: {nvidia.com/gpu: 1}
                  environment: {MODE: fast, TOKEN: of-the-profile}
                  node_selector: {pool: gpu}
                  http_timeout: 60
                  volumes: [{name: s, emptyDir: {medium: Memory, sizeLimit: 64Mi}}]
                  volume_mounts: [{name: s, mountPath: /dev/shm}]
              - display_name: Pool
                kubespawner_override:
                  cpu_limit: 2
                  cpu_guarantee: 1
                  image: registry.example.org/lab/gpu:1
                  image_pull_policy: Always
                  extra_resource_limits: {nvidia.com/gpu: 1}
                  node_selector: {nvidia.com/gpu.product: Tesla-T4, pool: gpu}
                  tolerations:
                  - {key: gpu, operator: Exists, effect: NoSchedule}
                  - {key: team, operator: Equal, value: ships, tolerationSeconds: 60}
                  cmd: start
              - display_name: Too Large
                kubespawner_override: {mem_limit: 4T}
              - display_name: Of Keycloak
                access: keycloak
              dask_worker: {Small Worker: {worker_cores: 1}}
            """;

    @TempDir
    private Path directory;

    private Path file = Path.of("");

    private final PlayedEngine nodes = new PlayedEngine();
    private final PlayedEngine pods = new PlayedEngine()
            .able(new Abilities(
                    "Pods",
                    "as it likes",
                    Set.of(Ability.CONTAINERS, Ability.NODE_TRAITS, Ability.GRACE, Ability.WORKING_DIRECTORY)));

    @AutoClose
    private ServerFixture fixture;

    @BeforeEach
    void open() throws IOException {
        file = directory.resolve("profiles.yaml");
        write(FILE);
        fixture = new ServerFixture(
                directory,
                Settings.of("jobs.memory=1g", "profiles.file=" + file),
                new Targets(new TreeMap<>(Map.of(
                        "nodes", new Target(new TargetSettings("nodes", 9, List.of()), nodes),
                        "pods", new Target(new TargetSettings("pods", 9, List.of()), pods)))));
        fixture.engine().withPullable("lab/gpu:1");
    }

    private void write(String text) throws IOException {
        Path draft = directory.resolve("draft");
        Files.writeString(draft, text);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
        Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private Answer as(String user, String method, String path, String body) {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        long uid = new Users().find(user).orElseThrow().uid();
        Token token =
                new Token(secret.id(), "t", secret.hash(), uid, user, "ADMIN", Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return Wire.ask(
                fixture.tcp(),
                method,
                "/api/v1" + path,
                body.getBytes(StandardCharsets.UTF_8),
                "Host: localhost",
                "Authorization: Bearer " + secret.text());
    }

    private List<String> names(String user) {
        List<String> names = new ArrayList<>();
        as(user, "GET", "/profiles", "")
                .json()
                .path("profiles")
                .forEach(profile -> names.add(profile.path("name").asText()));
        return names;
    }

    @ParameterizedTest
    @CsvSource({
        "root, Small GPU-Server Pool Too-Large Of-Keycloak",
        "bin, Small GPU-Server Pool Too-Large",
        "daemon, Small GPU-Server Pool Too-Large",
        "nobody, Small Pool Too-Large"
    })
    void everybodySeesTheirs(String user, String expected) {
        assertThat(names(user)).extracting(name -> name.replace(' ', '-')).containsExactly(expected.split(" "));
    }

    @Test
    void aProfileIsShownWithWhatItSays() {
        Answer answer = fixture.get("/api/v1/profiles");
        assertThat(answer.json().path("problems")).isEmpty();
        assertThat(answer.json().path("remarks")).hasSize(1);
        assertThat(answer.json().path("profiles").get(1))
                .hasToString(
                        "{\"name\":\"GPU Server\",\"description\":\"a GPU and what goes with it\",\"preselected\":false,"
                                + "\"access\":\"yaml\",\"gpus\":1,\"gpuType\":null,\"cpuMilli\":null,\"cpuGuaranteeMilli\":null,"
                                + "\"memoryBytes\":134217728,\"memoryGuaranteeBytes\":100663296,\"shmBytes\":67108864,"
                                + "\"image\":\"lab/gpu:1\",\"pull\":null,\"environment\":[\"MODE\",\"TOKEN\"],"
                                + "\"unused\":[\"node_selector\",\"http_timeout\"]}");
        assertThat(answer.text()).doesNotContain("of-the-profile");
        assertThat(as("nobody", "GET", "/profiles", "").json().path("remarks")).isEmpty();
    }

    private List<String> plan(String request) {
        Answer answer = fixture.post("/api/v1/jobs?dryRun=true", request);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        List<String> lines = new ArrayList<>();
        for (JsonNode setting : answer.json().path("settings")) {
            lines.add("%s = %s (%s)"
                    .formatted(
                            setting.path("name").asText(),
                            setting.path("value").asText(),
                            setting.path("source").asText()));
        }
        assertThat(answer.text()).doesNotContain("of-the-profile");
        return lines;
    }

    @Test
    void aDryRunSaysWhatIsTheProfiles() {
        assertThat(plan("{\"command\": [\"true\"], \"profile\": \"GPU Server\"}"))
                .contains(
                        "profile = GPU Server (request)",
                        "gpus = 1 (profile GPU Server)",
                        "image = lab/gpu:1 (not on this machine) (profile GPU Server)",
                        "memoryBytes = 134217728 (profile GPU Server)",
                        "memoryGuaranteeBytes = 100663296 (profile GPU Server)",
                        "shmBytes = 67108864 (profile GPU Server)",
                        "environment = MODE (profile GPU Server)",
                        "environment = TOKEN (profile GPU Server)",
                        "cpuMilli = all there is (default)",
                        "unused = node_selector, http_timeout (nothing on one machine) (profile GPU Server)");
        assertThat(plan("{\"command\": [\"true\"]}"))
                .contains("profile = none (default)", "memoryBytes = 1073741824 (--set)")
                .noneMatch(line -> line.startsWith("unused"));
    }

    @Test
    void whatTheRequestSaysCounts() {
        assertThat(plan("{\"command\": [\"true\"], \"profile\": \"GPU Server\", \"gpus\": 2,"
                        + " \"image\": \"berth-job:latest\", \"memoryBytes\": 268435456,"
                        + " \"environment\": {\"TOKEN\": \"mine\"}}"))
                .contains(
                        "gpus = 2 (request)",
                        "image = berth-job:latest (on this machine) (request)",
                        "memoryBytes = 268435456 (request)",
                        "memoryGuaranteeBytes = as much as it may use (default)",
                        "environment = MODE (profile GPU Server)",
                        "environment = TOKEN (request)");
        assertThat(plan("{\"command\": [\"true\"], \"profile\": \"GPU Server\", \"memoryBytes\": 33554432}"))
                .contains("shmBytes = 33554432 (profile GPU Server)");
        assertThat(plan("{\"command\": [\"true\"], \"profile\": \"Small\", \"cpuMilli\": 1000}"))
                .contains(
                        "cpuMilli = 1000 (request)",
                        "cpuGuaranteeMilli = as many as it may use (default)",
                        "memoryGuaranteeBytes = 33554432 (profile Small)");
    }

    @Test
    void atATargetAProfileSaysWhichNodesWillDo() throws IOException {
        String request = "{\"command\": [\"true\"], \"profile\": \"Pool\", \"target\": \"pods\"}";
        assertThat(plan(request))
                .contains(
                        "image = registry.example.org/lab/gpu:1 (profile Pool)",
                        "cpuMilli = 2000 (profile Pool)",
                        "gpuType = any (default)",
                        "node = nvidia.com/gpu.product=Tesla-T4 (profile Pool)",
                        "node = pool=gpu (profile Pool)",
                        "toleration = gpu:NoSchedule (profile Pool)",
                        "toleration = team=ships for 60 s (profile Pool)",
                        "unused = cmd, pull, cpuGuaranteeMilli (nothing at target pods) (profile Pool)");
        long id = fixture.post("/api/v1/jobs", request)
                .expect(201)
                .json()
                .path("id")
                .asLong();
        fixture.await("it is there", () -> handedOver(pods).isPresent());
        JobSpec spec = handedOver(pods).orElseThrow().job().spec();
        assertThat(spec.nodes())
                .isEqualTo(new NodeTraits(
                        Map.of("nvidia.com/gpu.product", "Tesla-T4", "pool", "gpu"),
                        List.of(
                                new Toleration("gpu", null, "NoSchedule", null),
                                new Toleration("team", "ships", null, 60L))));
        assertThat(spec.resources().traits().areAny()).isTrue();

        // It keeps them, whatever becomes of the profile.
        fixture.post("/api/v1/jobs/" + id + "/cancel", "").expect(202);
        fixture.await(id, StateName.CANCELLED);
        write(FILE.replace("pool: gpu", "pool: other"));
        long again = fixture.post("/api/v1/jobs/" + id + "/resubmit", "{}")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        assertThat(fixture.queries().find(new JobId(again)).orElseThrow().spec().nodes())
                .isEqualTo(spec.nodes());
    }

    /** What the line says counts, and then the profile. */
    @Test
    void whoAsksForAKindOfGpuIsGivenNoOther() {
        assertThat(
                        plan(
                                "{\"command\": [\"true\"], \"profile\": \"Pool\", \"target\": \"pods\", \"gpuType\": \"a100\"}"))
                .contains("gpuType = a100 (request)", "node = pool=gpu (profile Pool)")
                .noneMatch(line -> line.startsWith("node = nvidia.com/gpu.product"));
    }

    private static Optional<Handover> handedOver(PlayedEngine engine) {
        return engine.names().stream().findFirst().flatMap(engine::handover);
    }

    /** Its nodes have no labels and no containers; the kind of GPU is a wish that it has. */
    @Test
    void aTargetWithoutSuchNodesTakesWhatItHas() {
        String request = "{\"command\": [\"true\"], \"profile\": \"Pool\", \"target\": \"nodes\"}";
        assertThat(plan(request))
                .contains(
                        "gpuType = Tesla-T4 (profile Pool)",
                        "unused = tolerations, cmd, image, pull, cpuGuaranteeMilli (nothing at target nodes) (profile Pool)")
                .noneMatch(line -> line.startsWith("node =") || line.startsWith("toleration ="));
        assertThat(fixture.post("/api/v1/jobs", request.replace("\"true\"]", "\"true\"], \"image\": \"a\""))
                        .expect(400)
                        .text())
                .as("what the request itself says is refused")
                .contains("is not for target nodes");
    }

    @Test
    void aJobOfAProfileHasWhatItSays() {
        Answer answer =
                fixture.post("/api/v1/jobs", "{\"command\": [\"true\"], \"profile\": \"Small\", \"gpuMilli\": 1}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        answer = fixture.post("/api/v1/jobs", "{\"command\": [\"true\"], \"profile\": \"GPU Server\"}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        JsonNode job = answer.json();
        assertThat(job.path("profile").asText()).isEqualTo("GPU Server");
        assertThat(job.path("gpus").asInt()).isEqualTo(1);
        assertThat(job.path("memoryBytes").asLong()).isEqualTo(128L << 20);
        assertThat(job.path("memoryGuaranteeBytes").asLong()).isEqualTo(96L << 20);
        assertThat(job.path("shmBytes").asLong()).isEqualTo(64L << 20);
        assertThat(job.path("environment")).hasToString("[\"MODE\",\"TOKEN\"]");
    }

    private static String refusal(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        return answer.json().path("message").asText();
    }

    @Test
    void whoMayNotUseAProfileIsToldNoMoreThanThatThereIsNone() {
        String unknown =
                refusal(as("nobody", "POST", "/jobs", "{\"command\": [\"true\"], \"profile\": \"GPU Servant\"}"));
        String others =
                refusal(as("nobody", "POST", "/jobs", "{\"command\": [\"true\"], \"profile\": \"GPU Server\"}"));
        assertThat(unknown)
                .isEqualTo(
                        "profile: 'GPU Servant' is no profile that you may use; there are 'Small', 'Pool', 'Too Large'");
        assertThat(others).isEqualTo(unknown.replace("Servant", "Server"));
        assertThat(refusal(fixture.post("/api/v1/jobs", "{\"command\": [\"true\"], \"profile\": \"gpu serve\"}")))
                .isEqualTo("profile: 'gpu serve' is no profile that you may use; did you mean 'GPU Server'? there are"
                        + " 'Small', 'GPU Server', 'Pool', 'Too Large', 'Of Keycloak'");
    }

    @Test
    void whatIsWrongWithAProfilesValueNamesTheProfile() {
        assertThat(refusal(fixture.post("/api/v1/jobs", "{\"command\": [\"true\"], \"profile\": \"Too Large\"}")))
                .startsWith(
                        "profile: 'Too Large' sets memoryBytes to '4398046511104', which is more than this machine's")
                .endsWith("; give --memory yourself, or take another profile");
        assertThat(refusal(fixture.post(
                        "/api/v1/jobs", "{\"command\": [\"true\"], \"profile\": \"Small\", \"nice\": 99}")))
                .startsWith("nice: '99' must be");
        assertThat(refusal(fixture.post(
                        "/api/v1/jobs", "{\"command\": [\"true\"], \"host\": true, \"profile\": \"Small\"}")))
                .startsWith("profile: '' is a container's");
    }

    @Test
    void aFileWithAMistakeKeepsTheProfilesOfBefore() throws IOException {
        write(FILE.replace("mem_limit: 4T", "mem_limit: 4Ti"));
        assertThat(names("nobody")).containsExactly("Small", "Pool", "Too Large");
        assertThat(fixture.get("/api/v1/profiles")
                        .json()
                        .path("problems")
                        .get(0)
                        .asText())
                .startsWith(file + ":34: mem_limit: '4Ti' must be a number of bytes");
        assertThat(as("nobody", "GET", "/profiles", "").json().path("problems"))
                .hasToString(
                        "[\"the file of profiles has a mistake, and those of before count; operators see where\"]");
        assertThat(refusal(fixture.post("/api/v1/jobs", "{\"command\": [\"true\"], \"profile\": \"x\"}")))
                .endsWith("; their file has a mistake, and those of before count (berth profiles)");
        write(FILE.replace("Small", "Tiny"));
        assertThat(names("nobody")).containsExactly("Tiny", "Pool", "Too Large");
    }

    @Test
    void aSubmitThatWasAcceptedIsToldOfWhenItsProfileIsGone() throws IOException {
        byte[] body = "{\"command\": [\"true\"], \"profile\": \"Small\"}".getBytes(StandardCharsets.UTF_8);
        String key = "Idempotency-Key: 5d3b";
        Answer first = Wire.ask(fixture.tcp(), "POST", "/api/v1/jobs", body, "Host: localhost", key, bearer());
        assertThat(first.status()).as(first.text()).isEqualTo(201);
        write("profiles: {jupyterlab: []}");
        Answer again = Wire.ask(fixture.tcp(), "POST", "/api/v1/jobs", body, "Host: localhost", key, bearer());
        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.json().path("id").asLong())
                .isEqualTo(first.json().path("id").asLong());
    }

    private String bearer() {
        TokenSecret secret = TokenSecret.fresh(new SecureRandom());
        Token token =
                new Token(secret.id(), "t", secret.hash(), 0, "root", "ADMIN", Instant.EPOCH, null, null, null, null);
        var _ = fixture.scheduling()
                .write(store -> assertThat(store.keepToken(token, 10)).isTrue())
                .join();
        return "Authorization: Bearer " + secret.text();
    }
}
