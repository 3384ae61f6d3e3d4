package dev.berth.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static StartException refusal(String... words) {
        StartException refusal = catchThrowableOfType(StartException.class, () -> Settings.of(words));
        assertThat(refusal).as("it was taken").isNotNull();
        assertThat(refusal.exitCode()).isEqualTo(2);
        return refusal;
    }

    @Test
    void withoutAWordTheServerIsAPlainOne() throws Exception {
        assertThat(Settings.of())
                .isEqualTo(new Settings(
                        Path.of("/var/lib/berth"),
                        Path.of("/var/lib/berth/berth.sock"),
                        false,
                        0,
                        0,
                        0,
                        InetAddress.getByName("127.0.0.1"),
                        5555,
                        "berth-job:latest",
                        false));
    }

    @Test
    void everyWordIsHeard() throws Exception {
        assertThat(Settings.of(
                        "data-dir=/srv/berth",
                        "socket=/run/berth.sock",
                        "gpus=true",
                        "workers=3",
                        "cpu-workers=2",
                        "simulate-gpus=4",
                        "bind=::1",
                        "port=0",
                        "image=python:3.13=odd",
                        "detached=true"))
                .isEqualTo(new Settings(
                        Path.of("/srv/berth"),
                        Path.of("/run/berth.sock"),
                        true,
                        3,
                        2,
                        4,
                        InetAddress.getByName("::1"),
                        0,
                        "python:3.13=odd",
                        true));
    }

    @Test
    void madeUpGpusAreGivenOutWithoutAskingTwice() {
        assertThat(Settings.of("simulate-gpus=4").gpus()).isTrue();
        assertThat(Settings.of("simulate-gpus=4", "gpus=false").gpus()).isTrue();
        assertThat(Settings.of("simulate-gpus=0").gpus()).isFalse();
    }

    @Test
    void theSocketStandsInTheDataDirectory() {
        assertThat(Settings.of("data-dir=/srv/berth").socket()).isEqualTo(Path.of("/srv/berth/berth.sock"));
    }

    @Test
    void pathsAreAbsolute() {
        Settings settings = Settings.of("data-dir=here", "socket=there.sock");
        assertThat(settings.dataDirectory()).isAbsolute().endsWithRaw(Path.of("here"));
        assertThat(settings.socket()).isAbsolute().endsWithRaw(Path.of("there.sock"));
    }

    @ParameterizedTest
    @CsvSource({
        "workers=0,--workers 0: must be a whole number from 1 to 1024",
        "workers=1025,--workers 1025: must be a whole number from 1 to 1024",
        "workers=two,--workers two: must be a whole number from 1 to 1024",
        "workers=,--workers : must be a whole number from 1 to 1024",
        "cpu-workers=-1,--cpu-workers -1: must be a whole number from 0 to 1024",
        "simulate-gpus=1.5,--simulate-gpus 1.5: must be a whole number from 0 to 1024",
        "simulate-gpus=99999999999,--simulate-gpus 99999999999: must be a whole number from 0 to 1024",
        "port=65536,--port 65536: must be a whole number from 0 to 65535",
        "gpus=yes,--gpus yes: must be true or false",
        "detached=1,--detached 1: must be true or false",
        "gpu=true,'gpu=true' is no setting",
        "gpus,'gpus' is no setting",
        "=true,'=true' is no setting",
        "bind=0.0.0.0,'--bind 0.0.0.0: only this machine itself (127.0.0.1 or ::1) may connect over TCP until Berth has"
                + " tokens and TLS'",
        "bind=nowhere.invalid,--bind nowhere.invalid: is no address of this machine"
    })
    void aBadWordIsRefusedWithItsRule(String word, String sentence) {
        assertThat(refusal(word).sentence()).isEqualTo(sentence);
    }

    @Test
    void allProblemsAreToldAtOnce() {
        assertThat(refusal("workers=0", "port=x", "nonsense", "gpus=1", "bind=8.8.8.8", "workers=0")
                        .sentence()
                        .split("; "))
                .containsExactlyInAnyOrder(
                        "'nonsense' is no setting",
                        "--workers 0: must be a whole number from 1 to 1024",
                        "--port x: must be a whole number from 0 to 65535",
                        "--gpus 1: must be true or false",
                        "--bind 8.8.8.8: only this machine itself (127.0.0.1 or ::1) may connect over TCP until Berth"
                                + " has tokens and TLS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\u00fc"})
    void aSocketsPathIsNoLongerThanTheKernelTakes(String letter) {
        int bytes = letter.getBytes(StandardCharsets.UTF_8).length;
        String longest = "/" + letter.repeat(106 / bytes);
        assertThat(Settings.of("socket=" + longest).socket()).isEqualTo(Path.of(longest));
        assertThat(refusal("socket=" + longest + letter).sentence())
                .contains("has " + (107 + bytes)
                        + " bytes and a Unix socket takes 107; name a shorter one with --socket");
    }
}
