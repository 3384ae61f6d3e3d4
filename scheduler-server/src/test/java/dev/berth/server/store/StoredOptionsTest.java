package dev.berth.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.Label;
import dev.berth.core.job.LimitSignal;
import dev.berth.core.job.Limits;
import dev.berth.core.job.Mount;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.core.job.Notification;
import dev.berth.core.job.Packing;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Place.OnHost;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Signal;
import dev.berth.core.job.Tasks;
import dev.berth.core.job.TrackSources;
import dev.berth.server.store.database.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts are those of databases out there: they stay as they are, whatever becomes of the names in the code. */
class StoredOptionsTest {
    private static final GpuRequest TWO = GpuRequest.whole(2);

    private static final Resources RESOURCES = new Resources(
            TWO,
            new GpuTraits(40L << 30, "a100", List.of("nvlink")),
            1_500,
            6L << 30,
            5,
            new Guarantee(1_250, 5L << 30));

    private static final JobSpec CONTAINER = new JobSpec(
            new Label("n", "p", List.of("a b", "c"), "GPU Server"),
            new InContainer(
                    "d",
                    "i",
                    PullPolicy.ALWAYS,
                    "/data",
                    64L << 20,
                    "none",
                    List.of(new Mount("/a", "/b", true), new Mount("/c", "/d", false))),
            RESOURCES,
            new Limits(Duration.ofHours(1), Duration.ofMinutes(10)),
            true,
            7L);

    private static final JobSpec TARGET = new JobSpec(
            CONTAINER.label(), new AtTarget("cluster", CONTAINER.container()), RESOURCES, CONTAINER.limits(), true, 7L);

    private static final JobSpec NODES = new JobSpec(
            CONTAINER.label(),
            new AtTarget(
                    "cluster",
                    CONTAINER.container(),
                    new NodeTraits(
                            Map.of("pool", "gpu", "a/b", ""),
                            List.of(
                                    new Toleration("", null, null, null),
                                    new Toleration("team", "ships", "NoExecute", 60L)))),
            RESOURCES,
            CONTAINER.limits(),
            true,
            7L);

    private static final String TEXT_OF_NODES = "\"nodes\":{\"labels\":[{\"name\":\"a/b\",\"value\":\"\"},"
            + "{\"name\":\"pool\",\"value\":\"gpu\"}],\"tolerations\":[{\"key\":\"\"},"
            + "{\"key\":\"team\",\"value\":\"ships\",\"effect\":\"NoExecute\",\"seconds\":60}]}";

    private static final JobSpec HOST = new JobSpec(
            CONTAINER.label(), new OnHost("/home/ada", true, false), RESOURCES, CONTAINER.limits(), false, null);

    private static final JobSpec NOTHING = new JobSpec(
            new Label("n", "p", List.of()),
            InContainer.of("d", "i"),
            Resources.of(TWO),
            new Limits(Duration.ofHours(1), null),
            false,
            null);

    private static final StoredOptions.Columns COLUMNS =
            new StoredOptions.Columns("n", "p", "d", "i", null, TWO, Duration.ofHours(1));

    private static final String TEXT_OF_CONTAINER =
            "{\"tags\":[\"a b\",\"c\"],\"profile\":\"GPU Server\",\"pull\":\"ALWAYS\",\"workingDirectory\":\"/data\","
                    + "\"shmBytes\":67108864,\"network\":\"none\","
                    + "\"mounts\":[{\"source\":\"/a\",\"target\":\"/b\",\"readOnly\":true},"
                    + "{\"source\":\"/c\",\"target\":\"/d\",\"readOnly\":false}],"
                    + "\"cpuMilli\":1500,\"memoryBytes\":6442450944,\"nice\":5,"
                    + "\"cpuGuaranteeMilli\":1250,\"memoryGuaranteeBytes\":5368709120,\"requeue\":true,\"requeueOf\":7,"
                    + "\"traits\":{\"memoryBytes\":42949672960,\"type\":\"a100\",\"labels\":[\"nvlink\"]},"
                    + "\"idleTimeout\":600}";

    private static final String TEXT_OF_HOST =
            "{\"tags\":[\"a b\",\"c\"],\"profile\":\"GPU Server\",\"pull\":\"NEVER\",\"network\":\"host\","
                    + "\"host\":{\"directory\":\"/home/ada\",\"shell\":true,\"noWait\":false},"
                    + "\"cpuMilli\":1500,\"memoryBytes\":6442450944,\"nice\":5,"
                    + "\"cpuGuaranteeMilli\":1250,\"memoryGuaranteeBytes\":5368709120,\"requeue\":false,"
                    + "\"traits\":{\"memoryBytes\":42949672960,\"type\":\"a100\",\"labels\":[\"nvlink\"]},"
                    + "\"idleTimeout\":600}";

    /** As it was before jobs in containers and others were told apart, each with fields of the other. */
    private static final String TEXT_OF_OLDER_HOST = "{\"tags\":[\"a b\",\"c\"],\"pull\":\"NEVER\",\"cpuMilli\":1500,"
            + "\"memoryBytes\":6442450944,\"network\":\"host\",\"mounts\":[],\"requeue\":false,"
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
        assertThat(StoredOptions.write(CONTAINER)).isEqualTo(TEXT_OF_CONTAINER);
        assertThat(StoredOptions.read(TEXT_OF_CONTAINER, COLUMNS)).isEqualTo(CONTAINER);
        assertThat(StoredOptions.write(HOST)).isEqualTo(TEXT_OF_HOST);
        assertThat(StoredOptions.read(TEXT_OF_HOST, COLUMNS)).isEqualTo(HOST);
        JobSpec older = StoredOptions.read(TEXT_OF_OLDER_HOST, COLUMNS);
        assertThat(older.place()).isEqualTo(HOST.place());
        assertThat(older.limits()).isEqualTo(HOST.limits());
        // There were no such options then.
        assertThat(older.resources())
                .isEqualTo(new Resources(TWO, RESOURCES.traits(), RESOURCES.cpuMilli(), RESOURCES.memoryBytes(), 0));
    }

    /** The target itself has a column; its options are those of a container, also of one that is handed over. */
    @Test
    void aJobForATargetHasTheOptionsOfItsContainer() {
        StoredOptions.Columns columns =
                new StoredOptions.Columns("n", "p", "d", "i", "cluster", TWO, Duration.ofHours(1));
        assertThat(StoredOptions.write(TARGET)).isEqualTo(TEXT_OF_CONTAINER);
        assertThat(StoredOptions.read(TEXT_OF_CONTAINER, columns)).isEqualTo(TARGET);
        assertThat(StoredOptions.write(NODES)).contains(TEXT_OF_NODES);
        assertThat(StoredOptions.read(StoredOptions.write(NODES), columns)).isEqualTo(NODES);
    }

    @Test
    void whatIsReadForMetricsHasItsNameAndComesBack() {
        for (String sources : List.of("tensorboard,stdout", "none")) {
            InContainer place = new InContainer(
                    "d",
                    "i",
                    PullPolicy.MISSING,
                    null,
                    null,
                    InContainer.BRIDGE,
                    List.of(),
                    TrackSources.parse(sources));
            JobSpec spec =
                    new JobSpec(NOTHING.label(), place, NOTHING.resources(), NOTHING.limits(), NOTHING.requeue(), null);
            String text = StoredOptions.write(spec);
            assertThat(text).contains(",\"track\":\"" + sources + "\",");
            assertThat(StoredOptions.read(text, COLUMNS)).isEqualTo(spec);
            assertUnknown(text.replace(sources, "wandb"), "job.options.track is 'wandb'");
        }
        assertThat(StoredOptions.write(NOTHING)).doesNotContain("track");
    }

    @Test
    void aSignalAndAGraceHaveTheirNamesAndComeBack() {
        Limits limits = new Limits(
                Duration.ofHours(1), null, new LimitSignal(Signal.USR1, Duration.ofMinutes(5)), Duration.ofMinutes(2));
        JobSpec spec =
                new JobSpec(NOTHING.label(), NOTHING.place(), NOTHING.resources(), limits, NOTHING.requeue(), null);
        String text = StoredOptions.write(spec);
        assertThat(text).endsWith(",\"signal\":\"USR1@300\",\"stopGrace\":120}");
        assertThat(StoredOptions.read(text, COLUMNS)).isEqualTo(spec);
        assertUnknown(text.replace("USR1", "KILL"), "job.options.signal is 'KILL@300'");
    }

    @Test
    void whoIsToldHasItsNameAndComesBack() {
        JobSpec spec = NOTHING.telling(List.of(Notification.parse("start,end:https://example.org/x")));
        String text = StoredOptions.write(spec);
        assertThat(text).endsWith(",\"notify\":[\"start,end:https://example.org/x\"]}");
        assertThat(StoredOptions.read(text, COLUMNS)).isEqualTo(spec);
        assertUnknown(text.replace("start,end:", "start,later:"), "job.options.notify is '...'");
    }

    @Test
    void thePackingOfAnArrayHasItsNamesAndComesBack() {
        JobSpec array = NOTHING.with(Tasks.parse("0-7").with(new Packing(4, 2)));
        String text = StoredOptions.write(array);
        assertThat(text).endsWith(",\"tasks\":\"0-7\",\"pack\":4,\"parallel\":2}");
        assertThat(StoredOptions.read(text, COLUMNS)).isEqualTo(array);
        assertThat(StoredOptions.write(NOTHING.with(Tasks.parse("0-7")))).doesNotContain("pack", "parallel");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", FULL_OF_NULLS, BEFORE_TRAITS})
    void whatEarlierVersionsWroteIsUnderstood(String text) {
        assertThat(StoredOptions.read(text, COLUMNS)).isEqualTo(NOTHING);
    }

    @Test
    void thoseOfAJobThatAsksForNothingComeBack() {
        assertThat(StoredOptions.read(StoredOptions.write(NOTHING), COLUMNS)).isEqualTo(NOTHING);
    }

    /** Else a job would run without what a newer version promised it. */
    @Test
    void whatThisVersionDoesNotKnowIsRefusedWithItsName() {
        assertUnknown(with("\"weight\":7"), "job.options.weight is '7'");
        assertUnknown(TEXT_OF_CONTAINER.replace("ALWAYS", "WEEKLY"), "job.options.pull is 'WEEKLY'");
        assertUnknown(
                TEXT_OF_HOST.replace("\"shell\":true", "\"shell\":\"bash\""), "job.options.host.shell is '\"bash\"'");
        assertUnknown(TEXT_OF_CONTAINER.replace("1500", "1500.5"), "job.options.cpuMilli is '1500.5'");
        assertUnknown(TEXT_OF_CONTAINER.replace("1500", "9000000000"), "job.options.cpuMilli is '9000000000'");
        assertUnknown(TEXT_OF_CONTAINER.replace("\"a b\"", "3"), "job.options.tags is '3'");
        assertUnknown(TEXT_OF_CONTAINER.replace("\"target\":\"/b\",", ""), "job.options.mounts.target is 'null'");
        assertUnknown("[]", "job.options is '[]'");
        assertThatThrownBy(() -> StoredOptions.read("{\"tags\":", COLUMNS))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the database holds what Berth cannot have written");
    }

    private static String with(String field) {
        return TEXT_OF_CONTAINER.replaceFirst("\\{", "{" + field + ",");
    }

    private static void assertUnknown(String text, String words) {
        assertThatThrownBy(() -> StoredOptions.read(text, COLUMNS))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("does not know: " + words + ";");
    }
}
