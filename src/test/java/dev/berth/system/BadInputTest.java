package dev.berth.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.system.fixture.Api;
import dev.berth.system.fixture.Berth;
import dev.berth.system.fixture.Bystanders;
import dev.berth.system.fixture.CommandProcess;
import dev.berth.system.fixture.Engine;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.SystemTest;
import dev.berth.system.fixture.TestFiles;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What cannot be meant is refused with a sentence that names the field and the value, and leaves the queue as it was.
 * The tables are in the folder bad-input of the resources.
 */
@SystemTest
class BadInputTest {
    private static final Berth BERTH = Berth.on(Engine.ofMachine());
    private static final Path FILES = Path.of(Objects.requireNonNull(BadInputTest.class.getResource("/bad-input/files"))
            .getPath());
    private static final int MAX_FILES = 2_000;

    /** What a client takes as a directory without asking anybody. */
    private static final int MOST_FILES = 100_000;

    private static final long GIB = 1L << 30;
    private static final int LONG = 10_000;
    private static final int DEEP = 100_000;

    @Nullable
    private static Bystanders bystanders;

    @Nullable
    private static CommandProcess commands;

    @BeforeAll
    static void start() {
        BERTH.start("--simulate-gpus", "2", "--set", "snapshots.max-files=" + MAX_FILES);
        bystanders = Bystanders.on(BERTH);
        commands = BERTH.commandProcess();
        TestFiles.link(folder("leaky").resolve("out"), "/etc/passwd");
        TestFiles.sparse(folder("huge").resolve("weights.bin"), 3 * GIB);
        TestFiles.sparse(folder("wide").resolve("weights.bin"), GIB + 1);
        TestFiles.emptyFiles(folder("many"), MAX_FILES + 1);
        TestFiles.emptyFiles(folder("million"), MOST_FILES + 1);
    }

    private static Path folder(String name) {
        return TestFiles.folder(BERTH.home().resolve(name));
    }

    @AfterAll
    static void stop() {
        if (commands != null) {
            commands.close();
        }
        BERTH.close();
    }

    private static Bystanders bystanders() {
        return Objects.requireNonNull(bystanders);
    }

    @ParameterizedTest(name = "berth {0}")
    @CsvFileSource(resources = "/bad-input/commands.txt", delimiter = '|', quoteCharacter = '`')
    void aCommandLine(String line, int code, String fragment) {
        // They end the JVM that they run in.
        Ran ran = line.startsWith("server ") || line.startsWith("config ")
                ? BERTH.command(words(line)).run()
                : Objects.requireNonNull(commands).run(words(line));
        assertRefused(line, ran.expect(code), fragment);
    }

    /** Some of each kind, by {@code bin/berth} itself. */
    @ParameterizedTest(name = "berth {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            frobnicate                    | 2 | unknown command frobnicate
            ps --colour                   | 2 | unknown option --colour
            {ESCAPE}[2J                   | 2 | unknown command \\x1b[2J
            status 999                    | 1 | there is no job 999 that you may see
            lease                         | 2 | berth lease gives GPUs to a shell
            run --num-gpus 1.5 -- true    | 2 | --num-gpus: '1.5' is neither a whole number
            run -- no-such-program        | 127 | 'no-such-program' is no program on this machine
            submit mars {DIR} true        | 2 | target: 'mars' is no target of this server
            sweep expand {FILES}/cycle.yml | 2 | cycle-back.yml:3: these import each other:
            """)
    void aCommandLineOfAProcess(String line, int code, String fragment) {
        assertRefused(line, BERTH.command(words(line)).run().expect(code), fragment);
    }

    private static void assertRefused(String line, Ran refused, String fragment) {
        // A shell that evaluates the answer must not take nothing for one.
        assertThat(refused.out())
                .isEqualTo(words(line)[0].equals("lease") ? "export CUDA_VISIBLE_DEVICES='';\nfalse\n" : "");
        assertThat(refused.complaint()).startsWith("berth: ").contains(fragment).hasSizeLessThan(LONG / 2);
        assertThat(refused.complaint().codePoints()).noneMatch(Character::isISOControl);
        bystanders().assertUntouched();
    }

    /** Blanks separate words; '' is an empty one, ~ a blank in one, and the names in braces are as {@link #filled} says. */
    private static String[] words(String line) {
        List<String> words = new ArrayList<>();
        for (String word : line.split(" +")) {
            words.add(word.equals("''") ? "" : filled(word.replace('~', ' ')));
        }
        return words.toArray(String[]::new);
    }

    private static String filled(String text) {
        return text.replace("{DIR}", bystanders().directory().toString())
                .replace("{FILES}", FILES.toString())
                .replace("{SNAPSHOT}", bystanders().snapshot())
                .replace("{LONG}", "x".repeat(LONG))
                .replace("{ESCAPE}", "\u001b")
                .replace("{LINE}", "\n")
                .replace("{DEEP}", "[".repeat(DEEP));
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvFileSource(resources = "/bad-input/requests.txt", delimiter = '|', quoteCharacter = '`')
    void aRequest(String method, String path, String body, int status, String fragment) {
        Answer answer = BERTH.api().call(method, filled(path), filled(body)).expect(status);

        String message = answer.json().path("message").asText();
        assertThat(message).contains(fragment).hasSizeLessThan(LONG / 2);
        assertThat(message.codePoints()).noneMatch(Character::isISOControl);
        assertThat(answer.json().path("code").asText()).matches("[A-Z_]+");
        bystanders().assertUntouched();
    }

    @Test
    void programsGetTheirComplaintsAsJson() {
        Ran refused = BERTH.command("ps", "--json", "--colour").run().expect(2);

        assertThat(JsonReading.of(refused.complaint()).path("code").asText()).isEqualTo("USAGE");
        assertThat(JsonReading.of(refused.complaint()).path("message").asText()).startsWith("unknown option --colour");
    }

    @ParameterizedTest(name = "{0} {1} bytes")
    @CsvSource({
        "/jobs,1048577,1048576",
        "/jobs,104857600,1048576",
        "/tokens,104857600,65536",
        "/server/stop,104857600,65536"
    })
    void aBodyThatIsTooLargeIsNotTaken(String path, int bytes, int most) {
        Answer answer = BERTH.api().post(path, "x".repeat(bytes)).expect(413);

        assertThat(answer.json().path("message").asText())
                .isEqualTo("the request's body is larger than " + most + " bytes");
        bystanders().assertUntouched();
    }

    @Test
    void overTcpNobodyIsKnownAndOnlyHealthIsTold() {
        String url = BERTH.run("server", "status", "--json").json().path("url").asText();

        assertThat(Api.tcp(url, "GET", "/health")
                        .expect(200)
                        .json()
                        .path("status")
                        .asText())
                .isEqualTo("ok");
        for (String path : List.of("/jobs", "/jobs/1", "/jobs/1/log", "/server", "/gpus")) {
            assertThat(Api.tcp(url, "GET", path).expect(401).text()).contains("NO_IDENTITY");
        }
        for (String path : List.of("/jobs", "/jobs/1/cancel", "/snapshots", "/contents", "/server/stop")) {
            assertThat(Api.tcp(url, "POST", path).expect(401).text()).contains("NO_IDENTITY");
        }
        bystanders().assertUntouched();
    }
}
