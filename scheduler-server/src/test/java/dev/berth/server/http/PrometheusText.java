package dev.berth.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Prometheus' text format, read strictly: what is not as its description says fails (exposition format 0.0.4). */
record PrometheusText(Map<String, String> types, Map<String, Double> samples) {
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\",?)*})? (\\S+)");
    private static final Pattern BUCKET = Pattern.compile("(.*)_bucket\\{(.*?),?le=\"([^\"]+)\"}");

    static PrometheusText read(String text) {
        assertThat(text).endsWith("\n");
        Map<String, String> types = new TreeMap<>();
        Map<String, Double> samples = new LinkedHashMap<>();
        String family = "";
        for (String line : text.split("\n", -1)) {
            if (line.isEmpty() || line.startsWith("# HELP ")) {
                continue;
            }
            if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ", -1);
                family = words[2];
                assertThat(words[3]).isIn("gauge", "counter", "histogram", "summary");
                assertThat(types.put(family, words[3])).as(line).isNull();
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            assertThat(sample.matches()).as(line).isTrue();
            String type = types.getOrDefault(family, "");
            String base = type.equals("histogram") || type.equals("summary")
                    ? sample.group(1).replaceFirst("_(bucket|sum|count)$", "")
                    : sample.group(1);
            assertThat(base).as(line).isEqualTo(family);
            String labels = sample.group(2) == null ? "" : sample.group(2);
            assertThat(samples.put(sample.group(1) + labels, number(sample.group(3))))
                    .as("a doubled series: " + line)
                    .isNull();
        }
        PrometheusText read = new PrometheusText(types, samples);
        read.requireBuckets();
        return read;
    }

    private static double number(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    /** Each bucket has those of the smaller ones in it, and the last one all. */
    private void requireBuckets() {
        Map<String, List<Double>> histograms = new TreeMap<>();
        samples.forEach((name, value) -> {
            Matcher bucket = BUCKET.matcher(name);
            if (bucket.matches()) {
                String labels = bucket.group(2).isEmpty() ? "" : "{" + bucket.group(2) + "}";
                histograms
                        .computeIfAbsent(bucket.group(1) + "_count" + labels, _ -> new ArrayList<>())
                        .add(value);
            }
        });
        histograms.forEach((count, buckets) -> {
            assertThat(buckets).as(count).isSorted();
            assertThat(buckets.getLast()).as(count).isEqualTo(value(count));
        });
    }

    double value(String series) {
        assertThat(samples).containsKey(series);
        return Objects.requireNonNull(samples.get(series));
    }
}
