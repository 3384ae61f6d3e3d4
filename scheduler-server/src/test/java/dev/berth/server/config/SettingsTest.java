package dev.berth.server.config;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.PullPolicy;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.gpu.nvidia.NvidiaReaders;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    /** The settings that are good in pairs only. */
    private static final Set<String> PAIRS = Set.of(
            "tls.key-store",
            "tls.key-store-password-file",
            "tls.certificate",
            "tls.key",
            "notify.mail-server",
            "notify.mail-user",
            "notify.mail-password-file");

    private static List<String> problems(String... assignments) {
        ConfigurationException refusal =
                catchThrowableOfType(ConfigurationException.class, () -> Settings.of(assignments));
        assertThat(refusal).as("it was taken").isNotNull();
        return refusal.problems();
    }

    @Test
    void theTableBelowKnowsEverySetting() throws Exception {
        Set<String> tried = new TreeSet<>(PAIRS);
        SettingTable.everySetting().forEach(it -> tried.add(it.key()));
        assertThat(tried).isEqualTo(new TreeSet<>(Keys.NAMES));
    }

    @ParameterizedTest
    @MethodSource("dev.berth.server.config.SettingTable#everySetting")
    void everySettingHasItsValue(SettingTable.Case setting) {
        Settings settings = Settings.of(setting.key() + "=" + setting.good());
        Key<?> key = Keys.ALL.stream()
                .filter(it -> it.name().equals(setting.key()))
                .findFirst()
                .orElseThrow();
        assertThat((Object) settings.find(key)).isEqualTo(setting.value());
        assertThat(settings.source(key)).isEqualTo("--set");
    }

    @ParameterizedTest
    @MethodSource("dev.berth.server.config.SettingTable#everySetting")
    void everySettingHasItsRule(SettingTable.Case setting) {
        String bad = setting.bad().substring(setting.bad().startsWith("bridge,") ? 7 : 0);
        String said = setting.bad().equals("ada,,grace") ? "" : bad;
        assertThat(problems(setting.key() + "=" + setting.bad()))
                .containsExactly("--set " + setting.key() + ": '" + said + "' " + setting.rule());
    }

    @Test
    void withoutAWordTheServerIsAPlainOne() {
        Settings settings = Settings.of();
        Map<Key<?>, Object> values = new HashMap<>();
        Keys.ALL.forEach(key -> Optional.ofNullable(settings.find(key)).ifPresent(value -> values.put(key, value)));
        assertThat(values)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        entry(Keys.DATA_DIRECTORY, Path.of("/var/lib/berth")),
                        entry(Keys.SOCKET, Path.of("/var/lib/berth/berth.sock")),
                        entry(Keys.GPUS, false),
                        entry(Keys.CPU_WORKERS, 0),
                        entry(Keys.SIMULATE_GPUS, 0),
                        entry(Keys.BIND, InetAddress.ofLiteral("127.0.0.1")),
                        entry(Keys.PORT, 5555),
                        entry(Keys.HOSTS, List.of()),
                        entry(Keys.ALLOW_INSECURE_BIND, false),
                        entry(Keys.MAX_CONNECTIONS_ALL, 512),
                        entry(Keys.MAX_CONNECTIONS_PER_USER, 64),
                        entry(Keys.GPU_READER, NvidiaReaders.Way.AUTO),
                        entry(Keys.GPU_MODE, GpuMode.RUNTIME),
                        entry(Keys.GPU_MPS, false),
                        entry(Keys.GPU_MPS_PIPE, Path.of("/tmp/nvidia-mps")),
                        entry(Keys.GPU_SAMPLE_EVERY, Duration.ofSeconds(1)),
                        entry(Keys.GPU_IDLE_WARNING, Duration.ofMinutes(15)),
                        entry(Keys.GPU_SHARES, 1),
                        entry(Keys.GPU_SHARES_OF, List.of()),
                        entry(Keys.GPU_LABELS, List.of()),
                        entry(Keys.MAX_FAILED_STARTS, 3),
                        entry(Keys.SAFE_GPU_LOCK, true),
                        entry(Keys.FOREIGN, ForeignPolicy.parse("any-process").orElseThrow()),
                        entry(Keys.PLACEHOLDER, false),
                        entry(Keys.CLEAN_WITHIN, Duration.ofSeconds(10)),
                        entry(Keys.JOB_IMAGE, "berth-job:latest"),
                        entry(Keys.JOB_NETWORK, "bridge"),
                        entry(Keys.NETWORKS, List.of("bridge", "none")),
                        entry(Keys.PULL, PullPolicy.MISSING),
                        entry(Keys.MAX_QUEUED_PER_USER, 100_000),
                        entry(Keys.MAX_SPEC_BYTES, new ByteSize(256 << 10)),
                        entry(Keys.MAX_QUEUED_BYTES_PER_USER, new ByteSize(256 << 20)),
                        entry(Keys.STOP_GRACE, Duration.ofSeconds(10)),
                        entry(Keys.MAX_STOP_GRACE, Duration.ofMinutes(10)),
                        entry(Keys.ORPHAN_GRACE, Duration.ofMinutes(5)),
                        entry(Keys.TARGET_LOOK_EVERY, Duration.ofSeconds(5)),
                        entry(Keys.PROFILES, Path.of("/profiles.yaml")),
                        entry(Keys.PASS_WHILE_PULLING, false),
                        entry(Keys.START_ONE_BY_ONE, false),
                        entry(Keys.DROP_UNFIT, false),
                        entry(Keys.BOOKING_CORES, true),
                        entry(Keys.ADMINISTRATORS, List.of()),
                        entry(Keys.READERS, List.of()),
                        entry(Keys.ANONYMOUS, AnonymousAccess.NONE),
                        entry(Keys.PAGE, true),
                        entry(Keys.MOUNTS_ENABLED, true),
                        entry(Keys.MOUNTS_ALLOW, List.of()),
                        entry(Keys.MOUNTS_READ_ONLY, List.of()),
                        entry(Keys.ROOT_JOBS, true),
                        entry(Keys.HOST_NETWORK, false),
                        entry(Keys.DOCKER_SOCKET, false),
                        entry(Keys.SNAPSHOT_MAX_BYTES, new ByteSize(1 << 30)),
                        entry(Keys.SNAPSHOT_MAX_FILES, 100_000),
                        entry(Keys.SNAPSHOT_QUOTA, new ByteSize(20L << 30)),
                        entry(Keys.LOG_MAX_BYTES, new ByteSize(1 << 30)),
                        entry(Keys.BACKUPS_KEEP, 7),
                        entry(Keys.BACKUPS_EVERY, Duration.ofDays(1)),
                        entry(Keys.NOTIFY, true),
                        entry(Keys.NOTIFY_COMMANDS, true),
                        entry(Keys.NOTIFY_ALLOW, List.of()),
                        entry(Keys.MAIL_PORT, 587),
                        entry(Keys.MAIL_SECURITY, MailSecurity.STARTTLS)));
        assertThat(Keys.ALL).extracting(settings::source).containsOnly("default");
    }

    @Test
    void aTimeThatIsOffIsNone() {
        Settings settings = Settings.of("gpus.sample-every=off", "gpus.idle-warning=2m");
        assertThat(settings.unlessOff(Keys.GPU_SAMPLE_EVERY)).isNull();
        assertThat(settings.unlessOff(Keys.GPU_IDLE_WARNING)).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void simulatedGpusAreAllocatedWithoutAskingTwice() {
        assertThat(Settings.of("server.simulate-gpus=4").givesGpus()).isTrue();
        assertThat(Settings.of("server.simulate-gpus=4", "server.gpus=false").givesGpus())
                .isTrue();
        assertThat(Settings.of("server.simulate-gpus=0").givesGpus()).isFalse();
    }

    @Test
    void theSocketStandsInTheDataDirectory() {
        assertThat(Settings.of("server.data-dir=/srv/berth").get(Keys.SOCKET))
                .isEqualTo(Path.of("/srv/berth/berth.sock"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\u00fc"})
    void aSocketsPathIsNoLongerThanTheKernelTakes(String letter) {
        int bytes = letter.getBytes(StandardCharsets.UTF_8).length;
        String longest = "/" + letter.repeat(106 / bytes);
        assertThat(Settings.of("server.socket=" + longest).get(Keys.SOCKET)).isEqualTo(Path.of(longest));
        assertThat(problems("server.socket=" + longest + letter).getFirst())
                .contains("has " + (107 + bytes)
                        + " bytes and a Unix socket takes 107; name a shorter one with --socket");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "tls.key=/k | --set tls.key: needs tls.certificate beside it",
                "tls.certificate=/c | --set tls.certificate: needs tls.key beside it",
                "notify.mail-server=mail:25 notify.mail-from=a@b.example | --set notify.mail-server: 'mail:25' must be a host's name without a port, or none",
                "notify.mail-user=x notify.mail-password-file=none | --set notify.mail-user: needs notify.mail-password-file beside it",
                "notify.mail-server=m.example.org | --set notify.mail-server: needs notify.mail-from beside it",
                "notify.mail-user=ada notify.mail-password-file=/p notify.mail-security=none | --set notify.mail-user: needs notify.mail-security starttls or tls: a password is not sent in plain text",
                "tls.key-store=/s | --set tls.key-store: needs tls.key-store-password-file beside it",
                "tls.key-store-password-file=/p | --set tls.key-store-password-file: needs tls.key-store beside it",
                "tls.key-store=/s tls.key-store-password-file=/p tls.key=/k tls.certificate=/c | --set tls.key-store: there is tls.certificate too (--set), and a server has one certificate; keep one of them",
                "tls.key=rel | --set tls.key: needs tls.certificate beside it",
                "jobs.network=lab | --set jobs.network: 'lab' must be one of jobs.networks (bridge, none)",
                "jobs.networks=none | jobs.network: 'bridge' must be one of jobs.networks (none)",
                "logs.max-bytes=64k | --set logs.max-bytes: '64k' must be at least 1m: a log is kept in pieces, and less than that"
                        + " would lose what was just written",
                "jobs.time-limit=2h jobs.max-time-limit=90m | --set jobs.time-limit: '2h' must be at most jobs.max-time-limit (90m)",
                "server.max-connections=9 | server.max-connections-per-user: '64' must be at most server.max-connections (9)"
            })
    void settingsHaveToSuitEachOther(String assignments, String problem) {
        assertThat(problems(assignments.split(" "))).containsExactly(problem);
    }

    @Test
    void whatIsBrokenByItselfIsNotHeldAgainstOthers() {
        assertThat(problems("tls.certificate=", "tls.key=/k")).hasSize(1);
        assertThat(problems("jobs.networks=-", "jobs.network=lab")).hasSize(1);
        assertThat(problems("jobs.time-limit=x", "jobs.max-time-limit=1s")).hasSize(1);
    }

    @Test
    void otherMachinesNeedTlsOrAnExplicitWord() {
        assertThat(problems("server.bind=0.0.0.0"))
                .containsExactly(
                        "--set server.bind: '0.0.0.0' lets other machines connect, and without TLS everybody on"
                                + " the way can read and change what is said, tokens included; give the server a certificate"
                                + " (--tls-certificate FILE --tls-key FILE), stay on 127.0.0.1 or ::1, or take the risk with"
                                + " --allow-insecure-bind");
        assertThat(Settings.of("server.bind=0.0.0.0", "server.allow-insecure-bind=true")
                        .get(Keys.ALLOW_INSECURE_BIND))
                .isTrue();
        assertThat(Settings.of("server.bind=::", "tls.certificate=/c", "tls.key=/k")
                        .find(Keys.CERTIFICATE))
                .isEqualTo(Path.of("/c"));
        assertThat(Settings.of("server.bind=10.0.0.1", "tls.key-store=/s", "tls.key-store-password-file=/p")
                        .find(Keys.KEY_STORE))
                .isEqualTo(Path.of("/s"));
        assertThat(Settings.of("server.bind=127.8.8.8").get(Keys.BIND)).isEqualTo(InetAddress.ofLiteral("127.8.8.8"));
    }
}
