package dev.berth.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where values come from, which one counts, and that everything wrong is told at once. */
class ConfigurationTest {
    @TempDir
    private Path folder;

    private ConfigurationFiles stage;

    @BeforeEach
    void set() {
        stage = new ConfigurationFiles(folder);
    }

    private String from(Key<?> key) {
        return stage.read().settings().source(key);
    }

    @Test
    void profilesAreBesideTheMachinesConfiguration() {
        assertThat(stage.read().settings().find(Keys.PROFILES)).isEqualTo(folder.resolve("etc/profiles.yaml"));
        assertThat(stage.read().settings().isSaid(Keys.PROFILES)).isFalse();
        stage.file(stage.system(), "profiles:\n  file: /srv/profiles.yaml\n");
        assertThat(stage.read().settings().find(Keys.PROFILES)).isEqualTo(Path.of("/srv/profiles.yaml"));
        assertThat(stage.read().settings().isSaid(Keys.PROFILES)).isTrue();
        stage.variable("BERTH_PROFILES_FILE", "none");
        assertThat(stage.read().settings().find(Keys.PROFILES)).isNull();
    }

    @Test
    void theNearerToThePersonTheMoreItCounts() {
        assertThat(from(Keys.PORT)).isEqualTo("default");
        stage.file(stage.system(), "server:\n  port: 1\n");
        assertThat(from(Keys.PORT)).isEqualTo(stage.system() + ":2");
        stage.file(stage.user(), "# mine\nserver:\n  # a comment\n  port: 2\n");
        assertThat(from(Keys.PORT)).isEqualTo(stage.user() + ":4");
        stage.variable("BERTH_SERVER_PORT", "3");
        assertThat(from(Keys.PORT)).isEqualTo("BERTH_SERVER_PORT");
        stage.options("--port=4");
        assertThat(from(Keys.PORT)).isEqualTo("--port");
        assertThat(stage.read().settings().get(Keys.PORT)).isEqualTo(4);
    }

    @Test
    void everySettingIsTakenByItselfFromWhereItIsSaid() {
        stage.file(stage.system(), "server: {port: 1, gpus: true}\njobs:\n  time-limit: 2h\n  networks: [a, bridge]\n");
        stage.file(stage.user(), "jobs:\n  time-limit: ~\n  image: mine\n");
        Configuration configuration =
                stage.variable("BERTH_JOBS_NETWORKS", "b,bridge").read();
        assertThat(configuration.files()).containsExactly(stage.system(), stage.user());
        assertThat(configuration.settings().get(Keys.PORT)).isEqualTo(1);
        assertThat(configuration.settings().givesGpus()).isTrue();
        assertThat(configuration.settings().find(Keys.TIME_LIMIT)).isNull();
        assertThat(configuration.settings().source(Keys.TIME_LIMIT)).isEqualTo(stage.user() + ":2");
        assertThat(configuration.settings().get(Keys.JOB_IMAGE)).isEqualTo("mine");
        assertThat(configuration.settings().get(Keys.NETWORKS)).containsExactly("b", "bridge");
    }

    @Test
    void aNamedFileCountsInPlaceOfTheUsualOnes() {
        stage.file(stage.system(), "server: {port: 1}");
        stage.file(stage.user(), "nonsense");
        Path other = stage.file(folder.resolve("other.yaml"), "server: {port: 7}");
        Path another = stage.file(folder.resolve("another.yaml"), "server: {port: 8}");
        stage.variable("BERTH_CONFIG", other.toString());
        assertThat(stage.read().files()).containsExactly(other);
        stage.options("--config=" + another);
        assertThat(stage.read().settings().get(Keys.PORT)).isEqualTo(8);
    }

    @Test
    void aNamedFileHasToBeThere() {
        assertThat(stage.variable("BERTH_CONFIG", "none.yaml").problems())
                .containsExactly("/home/ada/none.yaml: there is no such file");
        assertThat(stage.options("--config=" + folder).problems()).containsExactly(folder + ": is not a file");
    }

    @Test
    void aServerOfRootReadsNoUsersFile() {
        Path own = stage.file(stage.user(), "server: {port: 2}");
        assertThat(stage.read().files()).containsExactly(own);
        assertThat(stage.asRoot().read().files()).isEmpty();
    }

    @Test
    void theUsersFileIsWhereXdgSays() {
        Path elsewhere = stage.file(folder.resolve("xdg/berth/berth.yaml"), "server: {port: 3}");
        stage.file(stage.user(), "server: {port: 2}");
        stage.variable("XDG_CONFIG_HOME", folder.resolve("xdg").toString());
        assertThat(stage.read().files()).containsExactly(elsewhere);
        stage.variable("XDG_CONFIG_HOME", "relative");
        assertThat(stage.read().files()).containsExactly(stage.user());
    }

    @Test
    void thePlacesOfTheMachinesServerAreItsOwn() {
        Path system = stage.file(folder.resolve("x"), "server: {data-dir: /srv/b, socket: /run/b, port: 9}");
        stage.file(stage.system(), "server: {data-dir: /srv/b, socket: /run/b, port: 9}");
        Settings own = stage.read().settings();
        assertThat(own.get(Keys.DATA_DIRECTORY)).isEqualTo(Path.of("/var/data"));
        assertThat(own.get(Keys.SOCKET)).isEqualTo(Path.of("/var/data/berth.sock"));
        assertThat(own.get(Keys.PORT)).isEqualTo(9);
        Settings named = stage.options("--config=" + system).read().settings();
        assertThat(named.get(Keys.DATA_DIRECTORY)).isEqualTo(Path.of("/srv/b"));
        assertThat(named.get(Keys.SOCKET)).isEqualTo(Path.of("/run/b"));
    }

    /** As the commands look for it: anyone who names a data directory means the server whose socket is in it. */
    @ParameterizedTest
    @CsvSource({
        "file, /f.sock, /f/data",
        "'file data', /v/data/berth.sock, /v/data",
        "'file socket', /v.sock, /f/data",
        "'file data socket', /v.sock, /v/data",
        "'file data socket --data-dir', /o/data/berth.sock, /o/data",
        "'socket --data-dir', /o/data/berth.sock, /o/data",
        "'data --socket', /o.sock, /v/data",
        "'file data socket --data-dir --socket', /o.sock, /o/data",
        "'file --set', /s/data/berth.sock, /s/data"
    })
    void aDataDirectoryOfAHigherRankHasItsOwnSocket(String said, String socket, String data) {
        List<String> sources = List.of(said.split(" "));
        if (sources.contains("file")) {
            stage.file(stage.user(), "server: {data-dir: /f/data, socket: /f.sock}");
        }
        stage.variable("BERTH_DATA_DIR", sources.contains("data") ? "/v/data" : "");
        stage.variable("BERTH_SOCKET", sources.contains("socket") ? "/v.sock" : "");
        if (sources.contains("--data-dir")) {
            stage.options("--data-dir=/o/data");
        }
        if (sources.contains("--socket")) {
            stage.options("--socket=/o.sock");
        }
        if (sources.contains("--set")) {
            stage.options("--set=server.data-dir=/s/data");
        }
        Settings server = stage.read().settings();
        assertThat(server.get(Keys.SOCKET)).isEqualTo(Path.of(socket));
        assertThat(server.get(Keys.DATA_DIRECTORY)).isEqualTo(Path.of(data));
    }

    @Test
    void whatPeopleTypeIsRelativeToWhereTheyAre() {
        stage.variable("BERTH_DATA_DIR", "data").options("--tls-certificate=../c.pem", "--tls-key=/k.pem");
        Settings settings = stage.read().settings();
        assertThat(settings.get(Keys.DATA_DIRECTORY)).isEqualTo(Path.of("/home/ada/data"));
        assertThat(settings.find(Keys.CERTIFICATE)).isEqualTo(Path.of("/home/c.pem"));
        stage.file(stage.user(), "tls:\n  key-store: here\n");
        assertThat(stage.problems())
                .contains(".config/berth/berth.yaml:2: tls.key-store: 'here' must be an absolute path, or none");
    }

    @Test
    void everyProblemOfEverySourceIsToldAtOnce() {
        stage.file(stage.system(), """
            # the machine's
            server:
              prot: 5555
              port: 70000
              gpus: [true]
              port: 1
            sevrer:
              workers: 2
            jobs:
              networks: bridge
              memory:
                limit: 8g
              pull:
            mounts: true
            server.bind: ::1
            """);
        stage.file(stage.user(), "logs:\n  max-bytes: 1g\n   bad: 2\n");
        stage.variable("BERTH_SERVER_PORT", "x")
                .variable("BERTH_SERVER_PROT", "1")
                .variable("BERTH_JOBS_COLOUR", "red")
                .variable("BERTH_DATADIR", "/x");
        stage.options("--workers=0", "--set=server.max-connection=1", "--set=port=1", "--set=x", "--hurry", "gpus");
        assertThat(stage.problems())
                .containsExactly(
                        "etc/berth.yaml:3: server.prot: is not a setting; did you mean server.port?",
                        "etc/berth.yaml:4: server.port: '70000' must be a whole number from 0 to 65535",
                        "etc/berth.yaml:5: server.gpus: must be one value and not a list or a section: true or false",
                        "etc/berth.yaml:6: server.port: stands in line 4 already",
                        "etc/berth.yaml:8: sevrer.workers: is not a setting; did you mean server.workers?",
                        "etc/berth.yaml:10: jobs.networks: must be a list, such as [a, b]; [] is the empty one",
                        "etc/berth.yaml:11: jobs.memory: must be one value and not a list or a section: a size such as"
                                + " 512m, 8g or 1GiB",
                        "etc/berth.yaml:13: jobs.pull: must be missing, always or never; nothing stands there",
                        "etc/berth.yaml:14: mounts: is a section; its settings stand below it, indented",
                        "etc/berth.yaml:15: server.bind: is written as bind: below server:, indented",
                        ".config/berth/berth.yaml:3: is not YAML: mapping values are not allowed here",
                        "BERTH_SERVER_PORT: 'x' must be a whole number from 0 to 65535",
                        "BERTH_DATADIR: is not a setting's variable; did you mean BERTH_DATA_DIR?",
                        "BERTH_JOBS_COLOUR: is not a setting's variable; docs/configuration.md lists the settings",
                        "BERTH_SERVER_PROT: is not a setting's variable; did you mean BERTH_SERVER_PORT?",
                        "--workers: '0' must be a whole number from 1 to 1024, or none",
                        "--set server.max-connection: is not a setting; did you mean server.max-connections?",
                        "--set port: is not a setting; did you mean server.port?",
                        "--set: 'x' must be a setting, = and its value, such as server.port=5555",
                        "'--hurry' is no option of the server",
                        "'gpus' is no option of the server");
    }

    @Test
    void oneProblemIsOneSentence() {
        assertThat(new ConfigurationException(1, List.of("a"))).hasMessage("a");
        assertThat(new ConfigurationException(2, List.of("a", "b")))
                .hasMessage("the configuration has 2 problems:\na\nb");
    }

    @Test
    void aFlagAndAnAssignmentDoNotContradictEachOther() {
        assertThat(stage.options("--port=1", "--set=server.port=2", "--set=jobs.image=a", "--set=jobs.image=b")
                        .problems())
                .containsExactly(
                        "--set server.port: server.port is given by --port already; give it once",
                        "--set jobs.image: jobs.image is given by --set already; give it once");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "BERTH_SOCKET",
                "BERTH_URL",
                "BERTH_TOKEN",
                "BERTH_JAVA_HOME",
                "BERTH_SERVER_JAVA_OPTS",
                "BERTH_TEST_IMAGE",
                "BERTH_CHECK_RUN",
                "BERTH_MAKE_CACHE",
                "BERTH_STAND_IN_STATE",
                "BERTH_JOB_ID",
                "BERTH_ATTEMPT",
                "BERTH_NUM_GPUS",
                "BERTH_GPU_UUIDS",
                "BERTH_PROJECT",
                "BERTH_OUTPUT_DIR",
                "BERTH_ANYTHING",
                "HOMEBERTH_PORT"
            })
    void variablesOfOthersAreLetThrough(String name) {
        assertThat(stage.variable(name, "/x").read().files()).isEmpty();
    }

    @Test
    void anEmptyVariableSaysNothing() {
        stage.variable("BERTH_SERVER_PORT", "").variable("BERTH_CONFIG", "").variable("BERTH_DATA_DIR", "");
        assertThat(Keys.ALL).extracting(stage.read().settings()::source).containsOnly("default");
    }

    @Test
    void everySettingHasAVariableOfItsOwn() {
        assertThat(Keys.ALL).extracting(Key::variable).doesNotHaveDuplicates();
        assertThat(Keys.STOP_GRACE.variable()).isEqualTo("BERTH_JOBS_STOP_GRACE");
        assertThat(Keys.DATA_DIRECTORY.variable()).isEqualTo("BERTH_DATA_DIR");
        assertThat(Keys.SOCKET.variable()).isEqualTo("BERTH_SOCKET");
        stage.variable("BERTH_JOBS_STOP_GRACE", "5s");
        assertThat(stage.read().settings().get(Keys.STOP_GRACE)).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @CsvSource({
        "server.prot, server.port",
        "jobs.port, server.port",
        "port, server.port",
        "job.image, jobs.image",
        "server.simulate_gpus, server.simulate-gpus",
        "jobs.timelimit, jobs.time-limit",
        "x.y,",
        "server.colour,"
    })
    void theNearestSettingIsNamed(String word, String meant) {
        assertThat(NearestName.key(word, Keys.NAMES)).isEqualTo(meant);
    }

    @Test
    void problemsAreBounded() {
        String many = String.join(
                "\n", IntStream.range(0, 300).mapToObj(n -> "x" + n + ": 1").toList());
        stage.file(stage.user(), many);
        assertThat(stage.problems()).hasSize(101).last().isEqualTo("and 200 more");
        assertThatThrownBy(stage::read).hasMessageStartingWith("the configuration has 300 problems:\n");
    }

    @Test
    void textOfOthersIsHarmlessInAMessage() {
        stage.file(stage.user(), "server:\n  port: \"\\e[31m\\nserver\"\n  \"a\\nb\": 1\n");
        stage.options("--set=jobs.image=" + "x".repeat(300));
        assertThat(stage.problems())
                .containsExactly(
                        ".config/berth/berth.yaml:2: server.port: '?[31m?server' must be a whole number from 0 to"
                                + " 65535",
                        ".config/berth/berth.yaml:3: server.a?b: is not a setting; docs/configuration.md lists the"
                                + " settings",
                        "--set jobs.image: '" + "x".repeat(100)
                                + "...' must be the name of an image: at most 255 characters without blanks");
    }

    @Test
    void theListForPeopleSaysWhereEverythingComesFrom() throws IOException {
        stage.file(stage.system(), "server:\n  gpus: true\naccess:\n  administrators: [ada, '@lab']\n");
        stage.file(stage.user(), "jobs:\n  time-limit: 2h\n");
        stage.variable("BERTH_JOBS_IMAGE", "lab:3")
                .options("--port=0", "--set=mounts.allow=/data,/scratch", "--set=profiles.file=none");
        String table = String.join("\n", ConfigurationText.table(stage.read())) + "\n";
        Path golden = Path.of("src/test/resources/golden/config-show.txt");
        String shown = table.replace(folder.toString(), "/FOLDER").replaceAll(" +\n", "\n");
        if (Boolean.getBoolean("berth.write.golden")) {
            Files.writeString(golden, shown);
        }
        assertThat(shown).isEqualTo(Files.readString(golden));
    }

    @Test
    void theListForProgramsIsJson() {
        stage.options("--port=0", "--set=mounts.allow=/data");
        String json = ConfigurationText.json(stage.read());
        assertThat(json)
                .startsWith("{\"files\":[],\"settings\":[{\"key\":\"server.data-dir\",\"value\":\"/var/data\","
                        + "\"from\":\"default\"},")
                .contains(
                        "{\"key\":\"server.port\",\"value\":\"0\",\"from\":\"--port\"}",
                        "{\"key\":\"server.workers\",\"value\":null,\"from\":\"default\"}",
                        "{\"key\":\"mounts.allow\",\"value\":[\"/data\"],\"from\":\"--set\"}",
                        "{\"key\":\"access.readers\",\"value\":[],\"from\":\"default\"}");
        assertThat(ConfigurationText.json(new ConfigurationException(2, List.of("a", "b"))))
                .isEqualTo("{\"code\":\"CONFIGURATION\",\"message\":\"the configuration has 2 problems:\\na\\nb\","
                        + "\"details\":{\"problems\":[\"a\",\"b\"]}}");
    }
}
