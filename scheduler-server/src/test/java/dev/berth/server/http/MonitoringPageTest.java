package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.berth.server.gpu.GpuReading;
import dev.berth.server.metrics.Figure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page on monitoring, the dashboard and the rules name what a server tells, and nothing else. The table is renewed by
 * {@code mvn -pl scheduler-server test -Dtest=MonitoringPageTest -Dberth.write.docs=true}.
 */
class MonitoringPageTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path PAGE = DOCS.resolve("monitoring.md");
    private static final String MARK = "<!-- metrics -->\n";
    private static final Pattern NAME = Pattern.compile("\\b(?:berth|jvm|process)_[a-z_]+");

    @TempDir
    private Path directory;

    private Map<String, String> types = Map.of();

    @BeforeEach
    void scrape() {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            fixture.show(0, new GpuReading(96, 3L << 30, 12L << 30, 77, 201_500, List.of()));
            fixture.look();
            fixture.running(1);
            types = PrometheusText.read(fixture.get("/metrics").expect(200).text())
                    .types();
        }
    }

    private static String table() {
        return Arrays.stream(Figure.values())
                .map(figure -> "| `" + figure.text() + "` | " + kind(figure) + " | "
                        + figure.labels().stream()
                                .map(label -> "`" + label + "`")
                                .collect(Collectors.joining(", "))
                        + " | " + figure.help() + " |\n")
                .collect(Collectors.joining("", "| metric | type | labels | what |\n|---|---|---|---|\n", ""));
    }

    private static String kind(Figure figure) {
        return figure.kind().name().toLowerCase(Locale.ROOT);
    }

    /** The names of series that a server tells. */
    private Set<String> series() {
        Set<String> series = new TreeSet<>();
        types.forEach((name, type) -> {
            if (type.equals("histogram")) {
                series.addAll(List.of(name + "_bucket", name + "_sum", name + "_count"));
            } else {
                series.add(name);
            }
        });
        return series;
    }

    private void assertTold(String expression) {
        List<String> named =
                NAME.matcher(expression).results().map(MatchResult::group).toList();
        assertThat(series()).as(expression).containsAll(named);
    }

    @Test
    void thePageHasAllMetrics() throws IOException {
        String page = Files.readString(PAGE);
        String renewed = page.substring(0, page.indexOf(MARK) + MARK.length()) + table();
        if (Boolean.getBoolean("berth.write.docs")) {
            Files.writeString(PAGE, renewed);
        }
        assertThat(page).isEqualTo(renewed);
    }

    @Test
    void aServerTellsThemAll() {
        assertThat(Figure.values()).allSatisfy(figure -> assertThat(types).containsEntry(figure.text(), kind(figure)));
        assertThat(types.keySet()).filteredOn(name -> name.startsWith("berth_")).hasSameSizeAs(Figure.values());
    }

    @Test
    void everyRuleAsksForWhatThereIs() throws IOException {
        JsonNode rules = new YAMLMapper()
                .readTree(DOCS.resolve("monitoring/alerts.yaml").toFile())
                .at("/groups/0/rules");
        assertThat(rules).hasSizeGreaterThan(8).allSatisfy(rule -> {
            assertThat(rule.path("alert").asText()).startsWith("Berth");
            assertThat(rule.at("/labels/severity").asText()).isIn("info", "warning", "critical");
            assertThat(rule.at("/annotations/summary").asText()).isNotBlank();
            assertThat(rule.at("/annotations/action").asText()).isNotBlank();
            assertThat(rule.path("expr").asText()).isNotBlank();
            assertTold(rule.path("expr").asText());
        });
    }

    @Test
    void everyPanelShowsWhatThereIs() throws IOException {
        List<String> expressions = new ObjectMapper()
                .readTree(DOCS.resolve("monitoring/grafana.json").toFile())
                .findValuesAsText("expr");
        assertThat(expressions).hasSizeGreaterThan(20).allSatisfy(this::assertTold);
    }
}
