package dev.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script {@code bin/berth}, with JDKs whose java says how it was called. */
class LauncherTest {
    private static final Path SCRIPT = Path.of("src/main/distribution/bin/berth");
    private static final String SAY = "#!/bin/sh\necho \"$0\" LC_ALL=$LC_ALL LC_CTYPE=$LC_CTYPE; "
            + "for word in \"$@\"; do echo \"<$word>\"; done\n";

    @TempDir
    private Path directory;

    private final Map<String, String> variables = new HashMap<>();
    private Path home;

    private record Result(int code, String out, String err) {
        String java() {
            return out.lines().findFirst().orElse("");
        }
    }

    @BeforeEach
    void install() throws IOException {
        directory = directory.toRealPath();
        home = directory.resolve("with blank/berth");
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.copy(SCRIPT, home.resolve("bin/berth"));
        for (String jar : List.of("scheduler-cli-1", "scheduler-core-1", "picocli-4")) {
            Files.createFile(home.resolve("lib/" + jar + ".jar"));
        }
        Files.createFile(home.resolve("lib/jetty-server-12.jar"));
        Files.createFile(home.resolve("lib/commons-io-2.jar"));
        variables.put("PATH", "/usr/bin:/bin");
        variables.put("HOME", directory.resolve("user").toString());
        variables.put("LC_ALL", "C.UTF-8");
    }

    private Path jdk(String name, String version) throws IOException {
        Path jdk = Files.createDirectories(directory.resolve(name));
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("bin/java"), SAY);
        Files.setPosixFilePermissions(jdk.resolve("bin/java"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(
                jdk.resolve("release"),
                "IMPLEMENTOR=\"Somebody\"\nJAVA_RUNTIME_VERSION=\"" + version + "+9\"\nJAVA_VERSION=\"" + version
                        + "\"\nMODULES=\"a b\"\n");
        return jdk;
    }

    private Result run(Path script, String... words) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(script.toString());
        builder.command().addAll(List.of(words));
        builder.environment().clear();
        builder.environment().putAll(variables);
        File out = directory.resolve("out").toFile();
        File err = directory.resolve("err").toFile();
        Process process = builder.directory(directory.toFile())
                .redirectOutput(out)
                .redirectError(err)
                .start();
        int code = process.onExit().join().exitValue();
        return new Result(
                code,
                Files.readString(out.toPath(), StandardCharsets.UTF_8),
                Files.readString(err.toPath(), StandardCharsets.UTF_8));
    }

    private Result run(String... words) throws IOException {
        return run(home.resolve("bin/berth"), words);
    }

    @ParameterizedTest
    @CsvSource({
        "25, true",
        "25.0.3, true",
        "26-ea, true",
        "130, true",
        "24.0.2, false",
        "17.0.15, false",
        "1.8.0_442, false"
    })
    void aJdkIsNewEnoughOrNot(String version, boolean enough) throws IOException {
        variables.put("BERTH_JAVA_HOME", jdk("jdk", version).toString());
        variables.put("JAVA_HOME", jdk("other", "25").toString());
        Result result = run("ps");
        assertThat(result.java()).startsWith(directory.resolve(enough ? "jdk" : "other") + "/bin/java");
        assertThat(result.err().isEmpty()).isEqualTo(enough);
    }

    @Test
    void theJavaOnThePathIsTakenWhereNothingElseIsSaid() throws IOException {
        Path jdk = jdk("jdk", "25");
        Path bin = Files.createDirectories(directory.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("java"), jdk.resolve("bin/java"));
        variables.put("PATH", bin + ":/usr/bin:/bin");
        variables.put("JAVA_HOME", jdk("old", "21").toString());
        assertThat(run("ps").java()).startsWith(jdk + "/bin/java ");
    }

    @Test
    void noJdkIsToldWithWhatToDo() throws IOException {
        Path script = home.resolve("bin/berth");
        Files.writeString(script, Files.readString(script).replace("least=25", "least=1000"));
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        Result result = run("ps");
        assertThat(result.code()).isEqualTo(125);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("berth: no JDK 1000 or later found").hasLineCount(1);
        assertThat(run("--socket", "s", "lease", "--shell").out())
                .as("for the shell that evaluates it")
                .isEqualTo("export CUDA_VISIBLE_DEVICES=''; false\n");
    }

    @Test
    void theCommandIsCalledWithItsOwnLibrariesOnly() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        Result result = run("cancel", "a b", "", "*", "$x");
        assertThat(result.code()).isZero();
        assertThat(result.out())
                .contains("<-Dberth.home=" + home + ">")
                .contains("<" + home + "/lib/scheduler-cli-1.jar:" + home + "/lib/scheduler-core-1.jar:" + home
                        + "/lib/picocli-4.jar>")
                .endsWith("<dev.berth.cli.Main>\n<cancel>\n<a b>\n<>\n<*>\n<$x>\n")
                .doesNotContain("jetty", "commons", "AOTCache", "berth.columns", "berth.watched");
    }

    @Test
    void onlyCommandsThatReadSweepsAndJobFilesHaveTheLibraryForThem() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        Files.createFile(home.resolve("lib/snakeyaml-engine-3.jar"));
        String others = "<" + home + "/lib/scheduler-cli-1.jar:" + home + "/lib/scheduler-core-1.jar:" + home
                + "/lib/picocli-4.jar";
        assertThat(run("--json", "sweep", "expand", "a.yml").out())
                .contains(others + ":" + home + "/lib/snakeyaml-engine-3.jar>");
        assertThat(run("ps").out()).contains(others + ">");
        assertThat(run("submit", "scheduler", ".").out())
                .contains(others + ":" + home + "/lib/snakeyaml-engine-3.jar>");
        assertThat(run("run", "x", "--", "sweep", "submit", "a").out()).contains(others + ">");
    }

    @Test
    void aServerInTheForegroundHasAllLibraries() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        variables.put("BERTH_SERVER_JAVA_OPTS", "-Da=b -Xmx1g");
        Result result = run("--socket", "x", "server", "start", "-g", "--foreground");
        assertThat(result.out()).contains("<-cp>\n<" + home + "/lib/*>\n").contains("<-Da=b>\n<-Xmx1g>\n");
        assertThat(run("server", "start", "--foreground").out()).contains("/lib/*>");
        assertThat(run("config", "show").out()).contains("/lib/*>");
        assertThat(run("-v", "config", "check", "file").out()).contains("/lib/*>");
        assertThat(run("config").out()).doesNotContain("/lib/*");
        assertThat(run("server", "start", "-g").out()).doesNotContain("/lib/*", "-Da=b");
    }

    @Test
    void itFindsItsHomeOverLinks() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        Path bin = Files.createDirectories(directory.resolve("usr/bin"));
        Files.createSymbolicLink(directory.resolve("usr/berth"), home);
        Files.createSymbolicLink(bin.resolve("link"), Path.of("../berth/bin/berth"));
        Files.createSymbolicLink(bin.resolve("berth"), Path.of("link"));
        assertThat(run(bin.resolve("berth"), "ps").out()).contains("<-Dberth.home=" + home + ">");
    }

    @Test
    void theCacheIsUsedByTheVeryJdkThatMadeItOnly() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        Files.writeString(home.resolve("lib/berth.aot.jdk"), "Somebody/25+9/\n");
        assertThat(run("ps").out()).contains("<-XX:AOTCache=" + home + "/lib/berth.aot>");
        Files.writeString(home.resolve("lib/berth.aot.jdk"), "Somebody/25+8/\n");
        assertThat(run("ps").out()).doesNotContain("AOTCache");
    }

    @Test
    void theCacheIsMadeByARehearsal() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        variables.put("BERTH_MAKE_CACHE", "yes");
        assertThat(run().out())
                .contains("<-XX:AOTCacheOutput=" + home + "/lib/berth.aot>")
                .endsWith("<dev.berth.cli.Rehearsal>\n");
        variables.remove("BERTH_MAKE_CACHE");
        assertThat(run("ps").out()).contains("<-XX:AOTCache=" + home + "/lib/berth.aot>");
    }

    /** The JDK's own end there is "Properties init: Could not determine current working directory". */
    @Test
    void aDirectoryThatIsGoneOrTooLongIsLeft() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        String say = "#!/bin/sh\npwd -P; for word in \"$@\"; do echo \"<$word>\"; done\n";
        Files.writeString(directory.resolve("jdk/bin/java"), say);
        Path script = directory.resolve("call");
        Files.writeString(script, """
                #!/bin/sh
                mkdir gone && cd gone
                case $1 in
                removed) rmdir ../gone ;;
                again) rmdir ../gone && mkdir ../gone ;;
                lying) rmdir ../gone && PWD=/proc/self/cwd ;;
                long) exec python3 -c "$2" "%1$s" ps ;;
                esac
                exec "%1$s" ps
                """.formatted(home.resolve("bin/berth")));
        String descend = """
                import os, sys
                for each in range(20):
                    os.mkdir("x" * 250)
                    os.chdir("x" * 250)
                os.execv(sys.argv[1], sys.argv[1:])
                """;
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String how : List.of("removed", "again", "lying", "long")) {
            Result result = run(script, how, descend);
            assertThat(result.code()).as(how).isZero();
            assertThat(result.java()).as(how).isEqualTo("/");
            assertThat(result.out())
                    .as(how)
                    .contains("<-Dberth.directory=lost>")
                    .endsWith("<ps>\n");
            deleteTree();
        }
        assertThat(run(script, "none").java()).isEqualTo(directory + "/gone");
        assertThat(run("ps").out()).doesNotContain("berth.directory");
    }

    /** By a program that goes into directories step by step: the path is too long for Java. */
    private void deleteTree() throws IOException {
        int code = new ProcessBuilder("rm", "-rf", directory.resolve("gone").toString())
                .start()
                .onExit()
                .join()
                .exitValue();
        assertThat(code).isZero();
    }

    @Test
    void theHomeIsFoundWhateverCdIsTold() throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        Files.createDirectories(directory.resolve("elsewhere/with blank/berth/bin"));
        variables.put("CDPATH", directory.resolve("elsewhere").toString());
        assertThat(run(Path.of("with blank/berth/bin/berth"), "ps").out()).contains("<-Dberth.home=" + home + ">");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "C.UTF-8, -, -, LC_ALL=C.UTF-8 LC_CTYPE=",
                "C, de_DE.UTF-8, -, LC_ALL=C.UTF-8 LC_CTYPE=de_DE.UTF-8",
                "-, -, -, LC_ALL= LC_CTYPE=C.UTF-8",
                "-, -, de_DE.UTF-8, LC_ALL= LC_CTYPE=",
                "-, -, de_DE.utf8, LC_ALL= LC_CTYPE=",
                "-, POSIX, de_DE.UTF-8, LC_ALL= LC_CTYPE=C.UTF-8"
            })
    void namesAreUtf8WhateverTheLocale(String all, String type, String lang, String seen) throws IOException {
        variables.put("JAVA_HOME", jdk("jdk", "25").toString());
        variables.remove("LC_ALL");
        if (all != null) {
            variables.put("LC_ALL", all);
        }
        if (type != null) {
            variables.put("LC_CTYPE", type);
        }
        if (lang != null) {
            variables.put("LANG", lang);
        }
        assertThat(run("ps").java()).endsWith(seen);
    }
}
