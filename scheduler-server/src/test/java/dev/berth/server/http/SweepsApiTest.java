package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import dev.berth.testclient.Answer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sweeps from the request to the views of their tasks. */
@Timeout(120)
class SweepsApiTest {
    private static final String BLOCKS = "[{\"constants\": {\"z\": 1}, \"factors\": [{\"names\": [\"net.lr\", \"o\"],"
            + " \"rows\": [[1e-3, \"adam\"], [0.10, null]]}, {\"names\": [\"seed\"], \"range\": [1, 1, 2]}]}]";

    @TempDir
    private Path directory;

    private ServerFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Answer submit(String command, String fields) {
        return fixture.post(
                "/api/v1/jobs",
                "{\"command\": [\"main.py\", \"%s\"], \"snapshot\": \"%s\", \"gpus\": 1, %s}"
                        .formatted(command, fixture.snapshot(), fields));
    }

    @Test
    void aSweepIsAnArrayWhoseTasksBearParameters() {
        JsonNode sweep = submit("--lr={lr}", "\"sweep\": [\"lr=1e-3,0.10\", \"seed=1..3\"], \"array\": \"%2\"")
                .expect(201)
                .json();
        String id = sweep.path("id").asText();
        assertThat(sweep.path("array").asText()).isEqualTo("0-5%2");
        assertThat(sweep.path("sweep")).extracting(JsonNode::asText).containsExactly("lr", "seed");
        fixture.await(id + "_1", StateName.RUNNING);
        assertThat(fixture.job(id + "_1").path("parameters").toString()).isEqualTo("{\"lr\":\"1e-3\",\"seed\":\"2\"}");
        assertThat(fixture.job(id + "_5").path("parameters").toString())
                .as("of a task that has had no turn")
                .isEqualTo("{\"lr\":\"0.10\",\"seed\":\"3\"}");
        assertThat(fixture.job(id).path("parameters").isNull()).isTrue();
        assertThat(fixture.listed("?scope=all&tasks=true&array=" + id + "&param=seed%3D2"))
                .containsExactly(id + "_4", id + "_1");
        assertThat(fixture.listed("?tasks=true&param=lr%3D1e-3")).containsExactlyInAnyOrder(id + "_0", id + "_1");
        assertThat(fixture.listed("?tasks=true&param=lr%3D0.001")).isEmpty();
    }

    @Test
    void tasksWithAParameterComePageByPage() {
        String id = submit("{a}", "\"sweep\": [\"a=1,2\", \"b=1..2\"]")
                .expect(201)
                .json()
                .path("id")
                .asText();
        fixture.await(id + "_3", StateName.RUNNING);
        String list = "?scope=all&tasks=true&array=" + id + "&param=b%3D1&limit=1";
        JsonNode first = fixture.get("/api/v1/jobs" + list).expect(200).json();
        assertThat(first.path("jobs").findValuesAsText("number")).containsExactly(id + "_2");
        assertThat(fixture.listed(list + "&cursor=" + first.path("next").asText()))
                .containsExactly(id + "_0");
    }

    @Test
    void tasksThatWaitAreFoundByTheirParametersToo() {
        String id = submit("{a}", "\"sweep\": [\"a=1..1000\", \"b=1..1000\"], \"array\": \"%2\", \"name\": \"wide\"")
                .expect(201)
                .json()
                .path("id")
                .asText();
        fixture.await(id + "_1", StateName.RUNNING);
        fixture.verb(id + "_1002", "hold").expect(202);
        fixture.await(id + "_1002", StateName.HELD);
        String of = "?scope=all&tasks=true&array=" + id;
        assertThat(fixture.listed(of + "&param=a%3D1&limit=3")).containsExactly(id + "_999", id + "_998", id + "_997");
        assertThat(fixture.listed(of + "&param=b%3D3&limit=1000")).hasSize(1000).startsWith(id + "_999002");
        JsonNode last = fixture.get("/api/v1/jobs" + of + "&param=b%3D3&limit=1&cursor="
                        + fixture.job(id + "_2002").path("id").asLong())
                .json();
        assertThat(last.path("jobs").get(0).path("state").asText())
                .as("a job of its own")
                .isEqualTo("HELD");
        assertThat(fixture.listed(
                        of + "&param=b%3D3&cursor=" + last.path("next").asText()))
                .containsExactly(id + "_2");
        assertThat(fixture.listed(of + "&param=b%3D2&state=RUNNING")).containsExactly(id + "_1");
        assertThat(fixture.listed(of + "&param=b%3D1001")).isEmpty();
        assertThat(fixture.listed(of + "&param=c%3D1")).isEmpty();
        assertThat(fixture.listed(of + "&param=b%3D3&name=other")).isEmpty();
        assertThat(fixture.listed("?scope=ended&tasks=true&array=" + id + "&param=b%3D3"))
                .isEmpty();
        fixture.post("/api/v1/jobs/" + id + "/cancel", "").expect(202);
        fixture.await(id + "_5", StateName.CANCELLED);
        assertThat(fixture.listed("?scope=ended&tasks=true&limit=2&array=" + id + "&param=b%3D3"))
                .containsExactly(id + "_999002", id + "_998002");
    }

    @Test
    void aProgramMayBeNamedByAParameter() {
        String request = "{\"command\": [\"{m}.py\"], \"snapshot\": \"%s\", \"sweep\": [\"m=main,other\"]}"
                .formatted(fixture.snapshot());
        assertThat(fixture.post("/api/v1/jobs", request).status()).isEqualTo(201);
    }

    @Test
    void aTaskKeepsItsParametersWhenItIsSubmittedAgain() {
        String id = submit("{o}", "\"parameters\": " + BLOCKS)
                .expect(201)
                .json()
                .path("id")
                .asText();
        fixture.await(id + "_3", StateName.RUNNING);
        assertThat(fixture.job(id + "_3").path("parameters").toString())
                .isEqualTo("{\"net.lr\":\"0.10\",\"o\":\"null\",\"seed\":\"2\"}");
        fixture.end(fixture.job(id + "_3").path("id").asLong(), 1);
        fixture.await(id + "_3", StateName.FAILED);
        JsonNode again = fixture.post("/api/v1/jobs/" + id + "_3/resubmit", "")
                .expect(201)
                .json();
        assertThat(again.path("array").asText()).isEqualTo("3");
        assertThat(fixture.job(again.path("id").asText() + "_3").path("parameters"))
                .isEqualTo(fixture.job(id + "_3").path("parameters"));
    }

    @Test
    void theTasksThatHaveNotCompletedRunAgainAsOneArray() {
        String id = submit("{a}", "\"sweep\": [\"a=10..15\"], \"array\": \"%4\"")
                .expect(201)
                .json()
                .path("id")
                .asText();
        fixture.await(id + "_3", StateName.RUNNING);
        for (int index : List.of(0, 1, 3)) {
            fixture.end(fixture.job(id + "_" + index).path("id").asLong(), index % 2);
        }
        fixture.await(id + "_5", StateName.RUNNING);
        fixture.post("/api/v1/jobs/" + id + "_5/cancel", "").expect(202);
        fixture.await(id + "_5", StateName.CANCELLED);
        assertThat(fixture.post("/api/v1/jobs/" + id + "/resubmit?failed=true", "")
                        .status())
                .as("it is not over")
                .isEqualTo(409);
        fixture.end(fixture.job(id + "_2").path("id").asLong(), 0);
        fixture.end(fixture.job(id + "_4").path("id").asLong(), 0);
        fixture.await(id, StateName.FAILED);
        JsonNode again = fixture.post("/api/v1/jobs/" + id + "/resubmit?failed=true", "")
                .expect(201)
                .json();
        assertThat(again.path("array").asText()).isEqualTo("1,3,5%4");
        assertThat(fixture.job(again.path("id").asText() + "_5")
                        .path("parameters")
                        .toString())
                .isEqualTo("{\"a\":\"15\"}");
        assertThat(fixture.post("/api/v1/jobs/" + id + "_1/resubmit?failed=true", "")
                        .json()
                        .path("message")
                        .asText())
                .isEqualTo("failed: 'true' is of arrays, and job " + id
                        + "_1 is none; leave it out, and the job is submitted" + " again");
    }

    @Test
    void anArrayWithoutFailedTasksHasNoneToRunAgain() {
        String id =
                submit("a", "\"array\": \"0\"").expect(201).json().path("id").asText();
        fixture.await(id + "_0", StateName.RUNNING);
        fixture.end(fixture.job(id + "_0").path("id").asLong(), 0);
        fixture.await(id, StateName.COMPLETED);
        Answer refused = fixture.post("/api/v1/jobs/" + id + "/resubmit?failed=true", "");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("code").asText()).isEqualTo("NOTHING_FAILED");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{x} | \"sweep\": [\"a=1\"] | command: '{x}' is no parameter that each task of the sweep has (a); write {{x}}",
                "a | \"sweep\": [\"a\"] | sweep: 'a' must be a name and its values",
                "a | \"sweep\": [\"a=1,2\"], \"array\": \"0-2\" | array: '0-2' names task 2, and the sweep has the tasks 0 to 1",
                "a | \"sweep\": [\"a=1\"], \"parameters\": [{\"constants\": {\"b\": 1}}] | sweep: '' does not go with the parameters of a sweep file",
                "a | \"zip\": [\"a=1\", \"b=1,2\"] | zip: 'b=1,2' has 2 values, and a has 1",
                "a | \"sample\": 5 | sample: '5' needs parameters to draw",
                "a | \"parameters\": {} | parameters: '' must be a list of blocks",
                "a | \"parameters\": [] | parameters: '' a sweep needs a set of parameters",
                "a | \"parameters\": [7] | parameters: '' must have an object for each block",
                "a | \"parameters\": [{\"x\": 1}] | parameters: '' has the field x, and only constants and factors may be",
                "a | \"parameters\": [{\"constants\": {\"1a\": 1}}] | parameters: '' must have names of letters",
                "a | \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"rows\": []}]}] | parameters: '' a factor needs",
                "a | \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"rows\": [[1, 2]]}]}] | parameters: '' a factor needs",
                "a | \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"range\": [1, 1]}]}] | parameters: '' must have three",
                "a | \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"range\": [1, 1, 1e99]}]}] | parameters: '' must have",
                "a | \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"range\": [1e9999, 1, 1]}]}] | parameters: '' has a range",
                "a | \"parameters\": [{\"factors\": [{\"names\": [\"a\"], \"range\": [1, 1, 1000000]}, {\"names\": [\"b\"],"
                        + " \"range\": [1, 1, 2]}]}] | parameters: '2000000 sets' must be at most 1000000",
            })
    void whatIsNoSweepIsRefused(String command, String fields, String message) {
        Answer refused = submit(command, fields);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().path("message").asText()).startsWith(message);
    }

    @Test
    void noTaskIsGivenMoreThanAProgramCanTake() {
        String large = "x".repeat(70_000);
        assertThat(submit("{a}{a}", "\"sweep\": [\"a=" + large + "\"]")
                        .json()
                        .path("message")
                        .asText())
                .startsWith("command: '140020 bytes' is more than a program is given (131072 bytes)");
        assertThat(submit("a", "\"sweep\": [\"a=" + large + "\", \"b=" + large + "\"]")
                        .json()
                        .path("message")
                        .asText())
                .startsWith("parameters: '140002 bytes' is more than a program is given");
    }
}
