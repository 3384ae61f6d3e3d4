package dev.berth.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import dev.berth.system.fixture.Await;
import dev.berth.system.fixture.JsonReading;
import dev.berth.system.fixture.Ran;
import dev.berth.system.fixture.Running;
import dev.berth.system.fixture.TestFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** What a site tells when everything is finished. */
final class Evidence {
    private static final String EVENT_ID = "id: ";
    private static final String LOCK = "lock-";
    private static final String EVENT = "data: ";

    private final Site site;
    private final Map<Long, JsonNode> views = new TreeMap<>();

    private Evidence(Site site) {
        this.site = site;
    }

    static Evidence of(Site site) {
        Evidence evidence = new Evidence(site);
        String cursor = "";
        do {
            JsonNode page = site.berth()
                    .api()
                    .get("/jobs?scope=all&limit=1000" + cursor)
                    .expect(200)
                    .json();
            page.path("jobs").forEach(view -> evidence.views.put(view.path("id").asLong(), view));
            cursor = page.path("next").isNumber() ? "&cursor=" + page.path("next") : "";
        } while (!cursor.isEmpty());
        return evidence;
    }

    /** All jobs by their numbers, arrays and not their tasks, as the server tells of them. */
    Map<Long, JsonNode> views() {
        return views;
    }

    /** One job, or one task of an array, whether it had its turn or not, with its earlier attempts; by its number. */
    JsonNode view(String number) {
        return site.berth().api().get("/jobs/" + number).expect(200).json();
    }

    /** The names of the notes that programs took. */
    List<String> records() {
        return TestFiles.tree(site.records()).stream()
                .filter(Files::isRegularFile)
                .map(file -> file.getFileName().toString())
                .filter(name -> !name.startsWith(LOCK))
                .toList();
    }

    /** The lines of one stream of a job's log, stdout or stderr, in ISO 8859-1, so that a byte is a character. */
    List<String> log(String job, String stream) {
        byte[] log = site.berth().api().bytes("/jobs/" + job + "/log?stream=" + stream);
        return List.of(new String(log, StandardCharsets.ISO_8859_1).split("\n"));
    }

    /** The whole log as the command gives it. */
    String typedLog(String job) {
        return site.berth().run("logs", job).out();
    }

    /** The numbers of all events there ever were. */
    List<Long> events() {
        return history()
                .filter(line -> line.startsWith(EVENT_ID))
                .map(line -> Long.valueOf(line.substring(EVENT_ID.length())))
                .toList();
    }

    /** How many attempts of each job were put off, as the engine started no container at all. */
    Map<Long, Integer> putOffs() {
        Map<Long, Integer> putOffs = new TreeMap<>();
        history()
                .filter(line -> line.startsWith(EVENT))
                .map(line -> JsonReading.of(line.substring(EVENT.length())))
                .filter(event -> event.path("event").asText().equals("LaunchPutOff"))
                .forEach(event -> putOffs.merge(event.path("job").asLong(), 1, Integer::sum));
        return putOffs;
    }

    private Stream<String> history() {
        return site.berth().api().get("/events").expect(200).text().lines();
    }

    /** The numbers of the events that a follower in JSON was told. */
    static List<Long> told(Running follower) {
        List<Long> told = new ArrayList<>();
        follower.said()
                .lines()
                .forEach(line -> told.add(JsonReading.of(line).path("sequence").asLong()));
        return told;
    }

    /** Containers and held GPUs that are still there after a while. */
    List<String> leftOver() {
        List<String> left = new ArrayList<>();
        if (isStill(() -> containers().isEmpty())) {
            left.add("containers " + containers());
        }
        if (isStill(() -> holders().allMatch(holder -> holder.endsWith("[]")))) {
            left.add("holders " + holders().toList());
        }
        return left;
    }

    private static boolean isStill(BooleanSupplier gone) {
        try {
            Await.that("nothing is left", gone);
            return false;
        } catch (AssertionError _) {
            return true;
        }
    }

    private Stream<String> holders() {
        return site.berth().holders().stream();
    }

    private List<String> containers() {
        Ran all = site.engine()
                .engine()
                .docker("ps", "-a", "--filter", "label=dev.berth.server", "--format", "{{.Names}} {{.Status}}");
        return all.lines();
    }
}
