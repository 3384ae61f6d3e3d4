package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.job.PullPolicy;
import dev.berth.server.gpu.GpuMode;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    /** The settings that are good in pairs only. */
    private static final Set<String> PAIRS =
            Set.of("tls.key-store", "tls.key-store-password-file", "tls.certificate", "tls.key");

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
        assertThat(setting.reads().apply(settings)).isEqualTo(setting.value());
        assertThat(settings.origins().of(setting.key())).isEqualTo(new Origin.Assignment());
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
        assertThat(settings.server())
                .isEqualTo(new ServerSettings(
                        Path.of("/var/lib/berth"),
                        Path.of("/var/lib/berth/berth.sock"),
                        false,
                        0,
                        0,
                        0,
                        InetAddress.ofLiteral("127.0.0.1"),
                        5555,
                        List.of(),
                        false,
                        512,
                        64));
        assertThat(settings.jobs())
                .isEqualTo(new JobSettings(
                        "berth-job:latest",
                        null,
                        null,
                        null,
                        null,
                        null,
                        "bridge",
                        List.of("bridge", "none"),
                        PullPolicy.MISSING,
                        100_000,
                        new ByteSize(256 << 10),
                        new ByteSize(256 << 20),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(5)));
        assertThat(settings.tls().isConfigured()).isFalse();
        assertThat(settings.gpuAccess())
                .isEqualTo(new GpuAccessSettings(GpuMode.RUNTIME, false, Path.of("/tmp/nvidia-mps")));
        assertThat(settings.access()).isEqualTo(new AccessSettings(List.of(), List.of()));
        assertThat(settings.mounts()).isEqualTo(new MountSettings(true, List.of(), List.of()));
        assertThat(settings.privileges()).isEqualTo(new PrivilegeSettings(true, false, false));
        assertThat(settings.snapshots())
                .isEqualTo(new SnapshotSettings(new ByteSize(1 << 30), 100_000, new ByteSize(20L << 30)));
        assertThat(settings.logs()).isEqualTo(new LogSettings(new ByteSize(1 << 30)));
        assertThat(settings.retention()).isEqualTo(new RetentionSettings(null, null, null));
        assertThat(settings.booking()).isEqualTo(new BookingSettings(true, null));
        assertThat(settings.backups()).isEqualTo(new BackupSettings(7, Duration.ofDays(1)));
        assertThat(settings.origins().byKey().values()).containsOnly(new Origin.BuiltIn());
    }

    @Test
    void madeUpGpusAreGivenOutWithoutAskingTwice() {
        assertThat(Settings.of("server.simulate-gpus=4").server().gpus()).isTrue();
        assertThat(Settings.of("server.simulate-gpus=4", "server.gpus=false")
                        .server()
                        .gpus())
                .isTrue();
        assertThat(Settings.of("server.simulate-gpus=0").server().gpus()).isFalse();
    }

    @Test
    void theSocketStandsInTheDataDirectory() {
        assertThat(Settings.of("server.data-dir=/srv/berth").server().socket())
                .isEqualTo(Path.of("/srv/berth/berth.sock"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\u00fc"})
    void aSocketsPathIsNoLongerThanTheKernelTakes(String letter) {
        int bytes = letter.getBytes(StandardCharsets.UTF_8).length;
        String longest = "/" + letter.repeat(106 / bytes);
        assertThat(Settings.of("server.socket=" + longest).server().socket()).isEqualTo(Path.of(longest));
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
                        .server()
                        .allowInsecureBind())
                .isTrue();
        assertThat(Settings.of("server.bind=::", "tls.certificate=/c", "tls.key=/k")
                        .tls())
                .isEqualTo(new TlsSettings(null, null, Path.of("/c"), Path.of("/k")));
        assertThat(Settings.of("server.bind=10.0.0.1", "tls.key-store=/s", "tls.key-store-password-file=/p")
                        .tls()
                        .isConfigured())
                .isTrue();
        assertThat(Settings.of("server.bind=127.8.8.8").server().bind()).isEqualTo(InetAddress.ofLiteral("127.8.8.8"));
    }
}
