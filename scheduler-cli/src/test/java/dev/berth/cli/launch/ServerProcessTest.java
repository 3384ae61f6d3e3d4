package dev.berth.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes: a JDK whose java is a shell script. */
class ServerProcessTest {
    @TempDir
    private Path directory;

    private final List<String> lines = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private Path data;

    @BeforeEach
    void makeHome() throws IOException {
        data = directory.resolve("state/data");
        Files.createDirectories(directory.resolve("home/lib"));
        Files.createFile(directory.resolve("home/lib/b.jar"));
        Files.createFile(directory.resolve("home/lib/a.jar"));
        Files.createFile(directory.resolve("home/lib/a.txt"));
    }

    private void java(String script) throws IOException {
        Path java = directory.resolve("jdk/bin/java");
        Files.createDirectories(directory.resolve("jdk/bin"));
        Files.writeString(java, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void start(String options) {
        ServerJvm jvm = new ServerJvm(directory.resolve("jdk"), directory.resolve("home"), options);
        new ServerProcess(jvm, data).start(List.of("detached=true", "gpus=true"), lines::add, warnings::add);
    }

    @Test
    void whatTheServerSaysIsShownUntilItAccepts() throws IOException {
        java("echo 'Berth 0.1.0'; echo '  a GPU'; echo READY; echo never shown");
        start("");
        assertThat(lines).containsExactly("Berth 0.1.0", "  a GPU");
    }

    @Test
    void whatItWarnsOfBeforeItBeginsIsToldApart() throws IOException {
        java("echo 'WARNING two jobs wait'; echo 'Berth 0.1.0'; echo READY");
        start("");
        assertThat(warnings).containsExactly("two jobs wait");
        assertThat(lines).containsExactly("Berth 0.1.0");
    }

    @Test
    void thatItStillWaitsIsNoNews() throws IOException {
        java("echo 'WARNING no engine'; echo WAITING; echo WAITING; echo 'Berth 0.1.0'; echo READY");
        start("");
        assertThat(warnings).containsExactly("no engine");
        assertThat(lines).containsExactly("Berth 0.1.0");
    }

    @Test
    void theServerGoesOnWhenItHasAccepted() throws IOException {
        java("echo $$; echo READY; exec cat " + directory.resolve("pipe"));
        new ProcessBuilder("mkfifo", directory.resolve("pipe").toString())
                .start()
                .onExit()
                .join();
        start("");
        ProcessHandle server =
                ProcessHandle.of(Long.parseLong(lines.getFirst())).orElseThrow();
        assertThat(server.isAlive()).isTrue();
        assertThat(ServerEnd.waitFor(server, Duration.ofMillis(1), ServerRehearsal.REAL_TIME))
                .isFalse();
        Files.writeString(directory.resolve("pipe"), "the end");
        assertThat(ServerEnd.waitFor(server, Duration.ofSeconds(20), ServerRehearsal.REAL_TIME))
                .isTrue();
    }

    @Test
    void itRunsInASessionOfItsOwnFromTheRootWithAllLibraries() throws IOException {
        java(
                "pwd; for word in \"$@\"; do echo \"$word\"; done; ps -o sid= -p $$ | tr -d ' '; echo $$; cat; echo READY");
        start(" -Da=b   -Dc=d ");
        Path lib = directory.resolve("home/lib");
        assertThat(lines.getFirst()).isEqualTo("/");
        assertThat(lines)
                .containsSequence("-Da=b", "-Dc=d", "-cp", lib + "/a.jar:" + lib + "/b.jar", "dev.berth.server.Main")
                .containsSequence("detached=true", "gpus=true")
                .contains("-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED");
        assertThat(lines.get(lines.size() - 2)).isEqualTo(lines.getLast());
    }

    /** As in a distribution that was copied: the cache knows the jars by their places and times. */
    @Test
    void aCacheThatIsNotTakenIsDoneWithoutInSilence() throws Exception {
        Path home = directory.resolve("home");
        Path java = Path.of(System.getProperty("java.home"));
        Files.writeString(home.resolve("lib/server.aot"), "made for other jars");
        ServerCache cache = new ServerCache(java, home);
        cache.made();
        List<String> command = new ArrayList<>(List.of(java.resolve("bin/java").toString()));
        command.addAll(cache.flags());
        command.add("--version");
        Process process = new ProcessBuilder(command).start();
        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void theCacheIsUsedByTheVeryJdkThatMadeItOnly() throws IOException {
        java("for word in \"$@\"; do echo \"$word\"; done; echo READY");
        Path home = directory.resolve("home");
        Path release = directory.resolve("jdk/release");
        Files.writeString(release, "IMPLEMENTOR=\"Somebody\"\nJAVA_RUNTIME_VERSION=\"25+9\"\nMODULES=\"a b\"\n");
        start("");
        assertThat(lines).doesNotContain("-Xlog:disable");

        Files.createFile(home.resolve("lib/server.aot"));
        new ServerCache(directory.resolve("jdk"), home).made();
        start("");
        assertThat(lines).contains("-XX:AOTCache=" + home.resolve("lib/server.aot"), "-Xlog:disable");
        lines.clear();
        start("-Xmx512m -Da=b -XX:TieredStopAtLevel=1");
        assertThat(lines).contains("-Xlog:disable", "-Xmx512m", "-XX:TieredStopAtLevel=1");

        for (String heap : List.of("-Xms4m -Xmx6m", "-Xmn1m", "-Da=b -XX:MaxRAMPercentage=1")) {
            lines.clear();
            start(heap);
            assertThat(lines).as(heap).isNotEmpty().doesNotContain("-Xlog:disable");
        }

        lines.clear();
        Files.writeString(release, "IMPLEMENTOR=\"Somebody\"\nJAVA_RUNTIME_VERSION=\"25+10\"\nMODULES=\"a b\"\n");
        start("");
        assertThat(lines).isNotEmpty().doesNotContain("-Xlog:disable");
    }

    @Test
    void aServerThatRefusesToStartSaysWhyAndHow() throws IOException {
        java("echo 'Berth 0.1.0'; echo 'FAILED 2 port 5555 is taken; name another by --port'; exit 2");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> start(""))
                .withMessage("port 5555 is taken; name another by --port")
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(2));
        java("echo 'FAILED for some reason'");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> start(""))
                .withMessage("for some reason")
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BERTH_FAILED));
    }

    @Test
    void allThatIsWrongIsToldALineEach() throws IOException {
        java("echo 'FAILED 2 there are 2 problems:'; echo 'a.yaml:1: one'; echo 'a.yaml:2: two'; exit 2");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> start(""))
                .withMessage("there are 2 problems:\na.yaml:1: one\na.yaml:2: two")
                .satisfies(failure -> assertThat(failure.lines())
                        .containsExactly("there are 2 problems:", "a.yaml:1: one", "a.yaml:2: two"));
    }

    private ServerPlaces places() {
        ServerJvm jvm = new ServerJvm(directory.resolve("jdk"), directory.resolve("home"), "");
        return ServerPlaces.ask(jvm, List.of("--port=0"));
    }

    @Test
    void theServerSaysWhereItWillBe() throws IOException {
        java("for last; do :; done; echo \"/data$last\"; echo \"/run/$#\"");
        assertThat(places().dataDirectory()).isEqualTo(Path.of("/data--port=0"));
        java("echo 'FAILED 2 a'; echo b; exit 2");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(this::places)
                .withMessage("a\nb")
                .satisfies(failure -> assertThat(failure.exitCode()).isEqualTo(2));
        java("exit 1");
        assertThatThrownBy(this::places).isInstanceOf(Failure.class).hasMessageContaining("before it said where");
    }

    @Test
    void aServerThatDiesIsToldWithItsLastWords() throws IOException {
        java("echo old words >&2");
        assertThatThrownBy(() -> start("")).isInstanceOf(Failure.class).hasMessageContaining("old words");
        java("echo one >&2; echo two >&2; exit 1");
        assertThatThrownBy(() -> start(""))
                .isInstanceOf(Failure.class)
                .hasMessage("the server ended before it accepted; it said: one | two");
        java("exit 1");
        assertThatThrownBy(() -> start(""))
                .hasMessage(
                        "the server ended before it accepted; server.log and server.err in " + data + " may say why");
    }

    @Test
    void whatAServerKeptOfItsErrorsIsToldToo() throws IOException {
        Files.createDirectories(data);
        Path kept = Files.writeString(data.resolve("server.err"), "of an earlier one\n");
        java("echo of this one >>" + kept + "; exit 1");
        assertThatThrownBy(() -> start(""))
                .hasMessage("the server ended before it accepted; " + kept + " says: of this one");
    }

    @Test
    void howeverMuchAServerSaysItsLastLinesAreTold() throws IOException {
        java("i=0; while [ $i -lt 30000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
        assertThatThrownBy(() -> start(""))
                .hasMessageStartingWith("the server ended before it accepted; it said: line 29980 | line 29981 |")
                .hasMessageEndingWith(" | line 29999");
    }

    /** Only the server itself knows whether that place is its own: somebody may have put links there. */
    @Test
    void nothingIsMadeOrOpenedInTheDataDirectory() throws IOException {
        java("echo an error >&2; echo READY");
        start("");
        assertThat(data).doesNotExist();
        Files.createDirectories(data);
        Path theirs = Files.createFile(directory.resolve("theirs"));
        Files.createSymbolicLink(data.resolve("server.err"), theirs);
        start("");
        assertThat(theirs).isEmptyFile();
    }

    @Test
    void aJdkThatIsGoneIsToldBySetsid() {
        assertThatThrownBy(() -> start("")).isInstanceOf(Failure.class).hasMessageContaining("jdk/bin/java");
    }

    @Test
    void aServerIsKnownByTheEndOfALongCommandLine() throws IOException {
        Process server =
                new ProcessBuilder("sh", "-c", "read line", "x".repeat(10_000), "dev.berth.server.Main").start();
        try (OutputStream in = server.getOutputStream()) {
            assertThat(ServerEnd.process(server.pid())).isPresent();
            in.write('\n');
        }
        assertThat(ServerEnd.waitFor(server.toHandle(), Duration.ofSeconds(20), ServerRehearsal.REAL_TIME))
                .isTrue();
    }

    @Test
    void aForeignProcessIsNotTakenForAServer() {
        assertThat(ServerEnd.process(1)).isEmpty();
    }
}
