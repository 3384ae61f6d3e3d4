package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.core.job.StateName;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An array of five tasks in packs of two, on four GPUs: all its packs have their turn at once, and their tasks do not begin. */
class PacksApiTest {
    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private long array;
    private long pack;

    @BeforeEach
    void open() {
        fixture = new ServerFixture(directory);
        array = fixture.submit("\"gpus\": 1, \"array\": \"0-4\", \"pack\": 2")
                .expect(201)
                .json()
                .path("id")
                .asLong();
        pack = array + 6;
        fixture.await(
                "pack " + pack, () -> fixture.get("/api/v1/jobs/" + pack).text().contains("\"state\":\"RUNNING\""));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aTaskIsToldOfWithItsPack() {
        JsonNode task = fixture.job(array + "_1");
        assertThat(task.path("state").asText()).isEqualTo("QUEUED");
        assertThat(task.path("reason").asText()).isEqualTo("IN_PACK");
        assertThat(task.path("sentence").asText())
                .matches("waits for its turn in the container of its pack, job " + array + "_\\[0-1] on GPU \\d");
        assertThat(task.path("packNumber").asText()).isEqualTo(array + "_[0-1]");
        assertThat(task.path("pack").asInt()).isEqualTo(2);
        assertThat(task.path("parallel").asInt()).isEqualTo(1);
        assertThat(task.path("gpuUuids")).isEmpty();
        assertThat(task.path("usage").isNull()).isTrue();
        assertThat(fixture.job(array).path("packNumber").isNull()).isTrue();
        JsonNode why = fixture.get("/api/v1/jobs/" + array + "_1/explanation")
                .expect(200)
                .json();
        assertThat(why.path("reason").asText()).isEqualTo("IN_PACK");
        assertThat(why.path("holders").findValuesAsText("number")).containsExactly(array + "_[0-1]");
    }

    @Test
    void aPackIsAJobInNoList() {
        String number = array + "_[0-1]";
        assertThat(fixture.job(pack).path("number").asText()).isEqualTo(number);
        assertThat(fixture.job(array + "_%5B0-1%5D").path("id").asLong()).isEqualTo(pack);
        assertThat(fixture.get("/api/v1/jobs/" + array + "_%5B0-2%5D").message())
                .startsWith("there is no job " + array + "_[0-2]");
        assertThat(fixture.listed("")).containsExactly(Long.toString(array));
        assertThat(fixture.listed("?scope=all")).containsExactly(Long.toString(array));
        assertThat(fixture.listed("?scope=all&state=RUNNING")).containsExactly(Long.toString(array));
        assertThat(fixture.listed("?tasks=true"))
                .containsExactly(
                        Long.toString(array), array + "_0", array + "_1", array + "_2", array + "_3", array + "_4");
        assertThat(fixture.get("/api/v1/gpus").expect(200).json().findValuesAsText("number"))
                .contains(number);
    }

    @Test
    void aPackGoesWithItsArrayAndHasNoOutput() {
        assertThat(fixture.delete(pack).code()).isEqualTo("JOB_NOT_ENDED");
        assertThat(fixture.get("/api/v1/jobs/" + pack + "/output").message())
                .contains("it is a pack, whose tasks have an output each; the first: berth get " + array + "_0");
        fixture.verb(array, "cancel").expect(202);
        fixture.await(pack, StateName.CANCELLED);
        assertThat(fixture.delete(pack).code()).isEqualTo("TASK_OF_ARRAY");
        JsonNode again = fixture.verb(pack, "resubmit").expect(201).json();
        assertThat(again.path("array").asText()).isEqualTo("0-1");
        assertThat(again.path("pack").asInt()).isEqualTo(2);
        assertThat(again.path("resubmitOf").asLong()).isEqualTo(array);
    }
}
