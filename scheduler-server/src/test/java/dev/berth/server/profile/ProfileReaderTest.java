package dev.berth.server.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.option.JobOption;
import dev.berth.server.config.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** QHub's and Nebari's files as they stand, and where those with a mistake are wrong. */
class ProfileReaderTest {
    private static final Path FILE = Path.of("FILE");
    private static final long GIB = 1L << 30;

    private final Problems problems = new Problems();

    private static String resource(String name) throws IOException {
        try (InputStream in =
                Objects.requireNonNull(ProfileReaderTest.class.getResourceAsStream("/profiles/" + name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private ProfileSet good(String text) {
        ProfileSet set = ProfileReader.read(FILE, text, problems);
        assertThat(problems.lines()).isEmpty();
        return set;
    }

    private List<String> wrong(String text) {
        Problems found = new Problems();
        ProfileSet _ = ProfileReader.read(FILE, text, found);
        return found.lines();
    }

    static Stream<String> keysInTheTable() {
        return Stream.of(JobOption.values())
                .filter(option -> option != JobOption.PROFILE)
                .flatMap(option -> option.elsewhere().qhub().stream());
    }

    @ParameterizedTest
    @MethodSource("keysInTheTable")
    void whatTheTableOfOptionsNamesIsRead(String key) {
        assertThat(wrong(with(key + ": [x]"))).noneMatch(line -> line.contains("is nothing that a profile says here"));
    }

    @Test
    void theSeedsBlockIsReadAsItStands() throws IOException {
        Profile profile = good(resource("seed.yaml")).profiles().getFirst();
        assertThat(profile.name()).isEqualTo("Large GPU Instance");
        assertThat(profile.description()).isEqualTo("Stable environment with 8 cpu / 32 GB ram and 1 Nvidia Tesla T4");
        assertThat(profile.preselected()).isFalse();
        assertThat(profile.audience()).isEqualTo(new Audience.Everybody());
        assertThat(profile.unused()).containsExactly("node_selector");
        assertThat(profile.values().values())
                .isEqualTo(Map.of(
                        "gpus",
                        1,
                        "cpuMilli",
                        8_000,
                        "cpuGuaranteeMilli",
                        7_250,
                        "memoryBytes",
                        32 * GIB,
                        "memoryGuaranteeBytes",
                        24 * GIB,
                        "image",
                        "quansight/qhub-jupyterlab:v0.3.13"));
    }

    @Test
    void aWholeConfigurationIsReadForItsProfiles() throws IOException {
        ProfileSet set = good(resource("qhub-config.yaml"));
        assertThat(set.profiles())
                .extracting(Profile::name)
                .containsExactly("Small Instance", "Medium Instance", "GPU Server", "Keycloak's");
        assertThat(set.remarks())
                .containsExactly("dask_worker in line 65 means nothing here: Berth starts no workers of Dask");
        assertThat(set.profiles()).extracting(Profile::preselected).containsExactly(true, false, false, false);
        assertThat(set.profiles())
                .extracting(Profile::audience)
                .containsExactly(
                        new Audience.Everybody(),
                        new Audience.Everybody(),
                        new Audience.Named(List.of("ada"), List.of("gpu-access")),
                        new Audience.OfKeycloak());
        Profile gpus = set.find("GPU Server").orElseThrow();
        assertThat(gpus.values().values())
                .containsEntry("shmBytes", 2 * GIB)
                .containsEntry("environment", Map.of("NCCL_DEBUG", "INFO", "THREADS", "4"));
        assertThat(gpus.unused()).containsExactly("http_timeout", "node_selector");
    }

    private static String with(String... overrides) {
        return "profiles:\n  jupyterlab:\n  - display_name: a\n    kubespawner_override:\n      "
                + String.join("\n      ", overrides) + "\n";
    }

    private Map<String, ?> values(String... overrides) {
        return good(with(overrides)).profiles().getFirst().values().values();
    }

    @Test
    void aMemoryVolumeIsSharedMemory() {
        String volume = "extra_pod_config: {volumes: [{name: d, emptyDir: {medium: Memory";
        String mount = "extra_container_config: {volumeMounts: [{name: d, mountPath: /dev/shm}]}";
        assertThat(values(volume + ", sizeLimit: 2G}}]}", mount)).isEqualTo(Map.of("shmBytes", 2_000_000_000L));
        assertThat(values(volume + ", sizeLimit: 2Gi}}]}", mount, "mem_limit: 1G"))
                .isEqualTo(Map.of("shmBytes", GIB, "memoryBytes", GIB));
        assertThat(values(volume + "}}]}", mount, "mem_limit: 4G"))
                .isEqualTo(Map.of("shmBytes", 4 * GIB, "memoryBytes", 4 * GIB));
        assertThat(values(volume + "}}]}", mount)).isEmpty();
        assertThat(values(
                        "volumes: [{name: d, emptyDir: {medium: Memory, sizeLimit: 64Mi}}]",
                        "volume_mounts: [{name: d, mountPath: /dev/shm}]"))
                .isEqualTo(Map.of("shmBytes", 64L << 20));
    }

    @Test
    void nodesOfATargetAreChosenByLabelsAndTolerations() {
        Profile profile = good(with(
                        "node_selector: {pool: gpu}",
                        "tolerations: [{key: gpu, operator: Exists}, {key: team, value: ships, effect: NoExecute}]"))
                .profiles()
                .getFirst();
        assertThat(profile.nodes())
                .isEqualTo(new NodeTraits(
                        Map.of("pool", "gpu"),
                        List.of(
                                new Toleration("gpu", null, null, null),
                                new Toleration("team", "ships", "NoExecute", null))));
        assertThat(profile.unused()).containsExactly("node_selector", "tolerations");
        assertThat(wrong(with("node_selector: {pool: \"a b\"}")))
                .singleElement()
                .asString()
                .contains("pool: 'a b' must be at most 63 letters");
        assertThat(wrong(with("tolerations: [{key: gpu, operator: Is}]")))
                .singleElement()
                .asString()
                .contains("'Is' must be Equal or Exists");
        assertThat(wrong(with("tolerations: [{key: gpu, tolerationSeconds: soon}]")))
                .singleElement()
                .asString()
                .contains("'soon' must be a number of seconds");
    }

    @Test
    void migDevicesAndNamesOfGpusAreTypes() {
        assertThat(values("extra_resource_limits: {nvidia.com/mig-1g.10gb: 2}"))
                .isEqualTo(Map.of("gpus", 2, "gpuType", "1g.10gb"));
        Profile named = good(with("node_selector: {nvidia.com/gpu.product: Tesla-T4}"))
                .profiles()
                .getFirst();
        assertThat(named.values().values()).isEqualTo(Map.of("gpuType", "Tesla-T4"));
        assertThat(named.unused()).isEmpty();
        assertThat(named.nodes()).isEqualTo(new NodeTraits(Map.of("nvidia.com/gpu.product", "Tesla-T4"), List.of()));
        assertThat(values(
                        "extra_resource_limits: {nvidia.com/gpu: \"1\"}",
                        "extra_resource_guarantees: {nvidia.com/gpu: 1}"))
                .isEqualTo(Map.of("gpus", 1));
    }

    @Test
    void whatSaysNothingAsksForNothing() {
        assertThat(values("cpu_limit: null", "mem_limit: ~", "environment:", "privileged: false"))
                .isEqualTo(Map.of("environment", Map.of()));
        assertThat(values("image_pull_policy: IfNotPresent")).isEqualTo(Map.of("pull", "missing"));
        assertThat(values("cpu_guarantee: 2", "mem_guarantee: 4G"))
                .isEqualTo(Map.of("cpuGuaranteeMilli", 2_000, "memoryGuaranteeBytes", 4 * GIB));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "# nothing\n", "profiles:\n", "profiles:\n  jupyterlab: []\n", "profiles: {jupyterlab: }\n"})
    void thereMayBeNone(String text) {
        assertThat(good(text)).isEqualTo(ProfileSet.NONE);
    }

    static Stream<String> mistakes() throws IOException {
        return resource("mistakes.txt").lines().filter(line -> !line.startsWith("#"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeInAnOverrideIsToldWithItsLine(String mistake) {
        String[] parts = mistake.split(" \\| ", 2);
        assertThat(wrong(with("debug: true", parts[0])))
                .isNotEmpty()
                .first()
                .asString()
                .startsWith("FILE:6: " + parts[1]);
    }

    @Test
    void aGuaranteeIsAtMostTheLimit() {
        assertThat(wrong(with("mem_guarantee: 9G", "mem_limit: 8G", "cpu_limit: 2", "cpu_guarantee: 2.001")))
                .containsExactly(
                        "FILE:8: cpu_guarantee: '2.001' is more than the limit in line 7",
                        "FILE:5: mem_guarantee: '9G' is more than the limit in line 6");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "- description: x | FILE:3: display_name: is not there",
                "- display_name: ' ' | FILE:3: display_name: ' ' must have 1 to 128 characters",
                "- display_name: [a] | FILE:3: display_name: must be one value",
                "- {display_name: a}NEXT{display_name: a} | FILE:4: display_name: 'a' is the name of the profile in line 3",
                "- {display_name: a, default: true}NEXT{display_name: b, default: true} | FILE:4: default: is true of the",
                "- {display_name: a, default: maybe} | FILE:3: default: 'maybe' must be true or false",
                "- {display_name: a, access: some} | FILE:3: access: 'some' must be all, yaml",
                "- {display_name: a, users: [ada]} | FILE:3: users: goes with access: yaml alone",
                "- {display_name: a, groups: [lab]} | FILE:3: groups: goes with access: yaml alone",
                "- {display_name: a, access: yaml, users: ada} | FILE:3: users: must be a list",
                "- {display_name: a, access: yaml, users: [[ada]]} | FILE:3: users: an item must be a name",
                "- {display_name: a, kubespawner_overrides: {}} | FILE:3: kubespawner_overrides: is nothing that a profile"
                        + " has; did you mean kubespawner_override?",
                "- {display_name: a, profile_options: {}} | FILE:3: profile_options: is not taken",
                "- {display_name: a, display_name: b} | FILE:3: display_name: stands in line 3 already",
                "- a | FILE:3: jupyterlab: an item must be a profile",
                "- &a {display_name: a} | FILE:3: anchors and aliases",
                "- {display_name: !x a} | FILE:3: tags (!x) are not taken",
                "- {display_name: a | FILE:4: is not YAML"
            })
    void aMistakeInAProfileIsToldWithItsLine(String profile, String problem) {
        assertThat(wrong("profiles:\n  jupyterlab:\n  " + profile.replace("NEXT", "\n  - ") + "\n"))
                .isNotEmpty()
                .first()
                .asString()
                .startsWith(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server: {} | FILE:1: profiles: is not there; the profiles stand below profiles:, jupyterlab:",
                "- a | FILE:1: profiles: is not there",
                "profiles: [] | FILE:1: profiles: is a section",
                "profiles: {jupyter: []} | FILE:1: jupyter: is no kind of profile; did you mean jupyterlab?",
                "profiles: {jupyterlab: {}} | FILE:1: jupyterlab: must be a list",
                "{profiles: {}, profiles: {}} | FILE:1: profiles: stands in line 1 already"
            })
    void aFileWithoutProfilesIsToldSo(String text, String problem) {
        assertThat(wrong(text)).isNotEmpty().first().asString().startsWith(problem);
    }

    @Test
    void thereIsABoundOnEverything() {
        StringBuilder many = new StringBuilder("profiles:\n  jupyterlab:\n");
        for (int at = 1; at <= 202; at++) {
            many.append("  - {display_name: p").append(at).append("}\n");
        }
        assertThat(wrong(many.toString()))
                .containsExactly(
                        "FILE:203: p201: is one profile more than the 200 that a file may have",
                        "FILE:204: p202: is one profile more than the 200 that a file may have");
        assertThat(wrong("[".repeat(100_000))).containsExactly("FILE:1: is nested more than 16 levels deep");
    }
}
