package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.HostRun;
import dev.berth.core.job.JobOptions;
import dev.berth.core.job.Mount;
import dev.berth.core.job.PullPolicy;
import dev.berth.server.store.database.StoreException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts are those of databases out there: they stay as they are, whatever becomes of the names in the code. */
class StoredOptionsTest {
    private static final JobOptions ALL = new JobOptions(
            List.of("a b", "c"),
            PullPolicy.ALWAYS,
            "/data",
            1_500,
            6L << 30,
            64L << 20,
            "none",
            List.of(new Mount("/a", "/b", true), new Mount("/c", "/d", false)),
            true,
            7L,
            new GpuTraits(40L << 30, "a100", List.of("nvlink")),
            new HostRun("/home/ada", true, false),
            Duration.ofMinutes(10));

    private static final String TEXT_OF_ALL =
            "{\"tags\":[\"a b\",\"c\"],\"pull\":\"ALWAYS\",\"workingDirectory\":\"/data\","
                    + "\"cpuMilli\":1500,\"memoryBytes\":6442450944,\"shmBytes\":67108864,\"network\":\"none\","
                    + "\"mounts\":[{\"source\":\"/a\",\"target\":\"/b\",\"readOnly\":true},"
                    + "{\"source\":\"/c\",\"target\":\"/d\",\"readOnly\":false}],\"requeue\":true,\"requeueOf\":7,"
                    + "\"traits\":{\"memoryBytes\":42949672960,\"type\":\"a100\",\"labels\":[\"nvlink\"]},"
                    + "\"host\":{\"directory\":\"/home/ada\",\"shell\":true,\"noWait\":false},\"idleTimeout\":600}";

    /** As the first versions wrote those of a job that asked for nothing. */
    private static final String FULL_OF_NULLS =
            "{\"tags\":[],\"pull\":\"MISSING\",\"workingDirectory\":null,\"cpuMilli\":null,"
                    + "\"memoryBytes\":null,\"shmBytes\":null,\"network\":\"bridge\",\"mounts\":[],\"requeue\":false,"
                    + "\"requeueOf\":null,\"traits\":{\"memoryBytes\":null,\"type\":null,\"labels\":[]},\"host\":null,"
                    + "\"idleTimeout\":null}";

    private static final String BEFORE_TRAITS =
            "{\"tags\":[],\"pull\":\"MISSING\",\"workingDirectory\":null,\"cpuMilli\":null,"
                    + "\"memoryBytes\":null,\"shmBytes\":null,\"network\":\"bridge\",\"mounts\":[],\"requeue\":false,"
                    + "\"requeueOf\":null}";

    @Test
    void everyOptionHasItsNameAndComesBack() {
        assertThat(StoredOptions.write(ALL)).isEqualTo(TEXT_OF_ALL);
        assertThat(StoredOptions.read(TEXT_OF_ALL)).isEqualTo(ALL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", FULL_OF_NULLS, BEFORE_TRAITS})
    void whatEarlierVersionsWroteIsUnderstood(String text) {
        assertThat(StoredOptions.read(text)).isEqualTo(JobOptions.NONE);
    }

    @Test
    void thoseOfAJobThatAsksForNothingComeBack() {
        assertThat(StoredOptions.read(StoredOptions.write(JobOptions.NONE))).isEqualTo(JobOptions.NONE);
    }

    /** Else a job would run without what a newer version promised it. */
    @Test
    void whatThisVersionDoesNotKnowIsRefusedWithItsName() {
        assertUnknown(with("\"nice\":7"), "job.options.nice is '7'");
        assertUnknown(TEXT_OF_ALL.replace("ALWAYS", "WEEKLY"), "job.options.pull is 'WEEKLY'");
        assertUnknown(
                TEXT_OF_ALL.replace("\"shell\":true", "\"shell\":\"bash\""), "job.options.host.shell is '\"bash\"'");
        assertUnknown(TEXT_OF_ALL.replace("1500", "1500.5"), "job.options.cpuMilli is '1500.5'");
        assertUnknown(TEXT_OF_ALL.replace("1500", "9000000000"), "job.options.cpuMilli is '9000000000'");
        assertUnknown(TEXT_OF_ALL.replace("\"a b\"", "3"), "job.options.tags is '3'");
        assertUnknown(TEXT_OF_ALL.replace("\"target\":\"/b\",", ""), "job.options.mounts.target is 'null'");
        assertUnknown("[]", "job.options is '[]'");
        assertThatThrownBy(() -> StoredOptions.read("{\"tags\":"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the database holds what Berth cannot have written");
    }

    private static String with(String field) {
        return TEXT_OF_ALL.replaceFirst("\\{", "{" + field + ",");
    }

    private static void assertUnknown(String text, String words) {
        assertThatThrownBy(() -> StoredOptions.read(text))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("does not know: " + words + ";");
    }
}
