package dev.berth.cli.jobfile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.option.JobOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JSON schema of {@code berth.yaml} for editors, made out of the table of options. After a change that is meant:
 * {@code mvn -pl scheduler-cli test -Dtest=JobSchemaTest -Dberth.write.docs=true}.
 */
class JobSchemaTest {
    private static final String SCALAR = "\"type\": [\"string\", \"number\", \"boolean\"]";
    private static final String AMOUNT = "\"type\": [\"string\", \"number\"]";

    /** The keys are described once, and referred to for the file and for each of its jobs. */
    private static String schema() {
        StringBuilder text = new StringBuilder("""
                {
                  "$schema": "http://json-schema.org/draft-07/schema#",
                  "title": "Job file of Berth (berth.yaml)",
                  "type": ["object", "null"],
                  "additionalProperties": false,
                  "definitions": {
                    "command": {
                      "description": "The program and its arguments: a list of words, or a text with quotation marks as in a shell.",
                      %s
                    },
                    "directory": {
                      "description": "With --file, the directory to send; relative to the file. Default: the file's own.",
                      "type": "string"
                    },
                    "target": {
                      "description": "Where it goes, one of those that berth targets lists; with --file, or the same as on the line. Default: scheduler, the queue of the server's machine.",
                      "type": "string",
                      "pattern": "^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$"
                    }""".formatted(list(SCALAR)));
        for (Map.Entry<String, JobOption> entry : BerthFile.options().entrySet()) {
            text.append(",\n    \"").append(entry.getKey()).append("\": {\n      \"description\": \"");
            text.append(entry.getValue().help().replace("\\", "\\\\").replace("\"", "\\\""));
            text.append("\",\n      ").append(form(entry.getValue())).append("\n    }");
        }
        return text.append("""

                  },
                  "properties": {
                %s,
                    "jobs": {
                      "description": "Several jobs by their names, queued all or none. What stands beside is for each of them that says nothing else; after and dependency may name those above.",
                      "type": "object",
                      "minProperties": 1,
                      "maxProperties": 100,
                      "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9._-]{0,99}$"},
                      "additionalProperties": {
                        "type": ["object", "null"],
                        "additionalProperties": false,
                        "properties": {
                %s
                        }
                      }
                    }
                  }
                }
                """.formatted(references("    "), references("          ")))
                .toString();
    }

    private static String references(String indent) {
        List<String> keys = new ArrayList<>(List.of("command", "directory", "target"));
        keys.addAll(BerthFile.options().keySet());
        return keys.stream()
                .map(key -> indent + "\"" + key + "\": {\"$ref\": \"#/definitions/" + key + "\"}")
                .collect(Collectors.joining(",\n"));
    }

    private static String form(JobOption option) {
        return switch (option.kind()) {
            case FLAG -> "\"type\": \"boolean\"";
            case TEXT -> SCALAR;
            case PULL -> "\"enum\": [\"missing\", \"always\", \"never\"]";
            case NUMBER ->
                "\"type\": \"integer\",\n      \"minimum\": " + option.bounds().min() + ",\n      \"maximum\": "
                        + option.bounds().max();
            case GPUS, CPUS -> "\"type\": \"number\",\n      \"minimum\": 0";
            case SIZE, SIGNAL, DATE -> "\"type\": \"string\"";
            case MEMORY, DURATION, TASKS, TASK_COUNT -> AMOUNT;
            case TEXTS -> BerthFile.isOfSweep(option) ? parameters() : list(SCALAR);
            case JOBS, DEPENDENCIES, VOLUMES, VARIABLE_FILES -> list(SCALAR);
            case VARIABLES ->
                "\"anyOf\": [\n        {\"type\": \"object\", \"additionalProperties\": {\"type\": [\"string\", \"number\","
                        + " \"boolean\", \"null\"]}},\n        {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n"
                        + "        {\"type\": \"string\"}\n      ]";
        };
    }

    private static String parameters() {
        return "\"anyOf\": [\n        {\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": {\"anyOf\": [{"
                + SCALAR + "}, {\"type\": \"array\", \"minItems\": 1, \"items\": {" + SCALAR + "}}]}},\n"
                + "        {\"type\": \"array\", \"items\": {\"type\": \"string\"}},\n        {\"type\": \"string\"}\n      ]";
    }

    private static String list(String single) {
        return "\"anyOf\": [\n        {" + single + "},\n        {\"type\": \"array\", \"items\": {" + single
                + "}}\n      ]";
    }

    @ParameterizedTest
    @ValueSource(strings = {"../docs", "src/main/distribution/share"})
    void theSchemaIsThatOfTheTable(String folder) throws IOException {
        Path file = Path.of(folder, "berth-job.schema.json");
        if (Boolean.getBoolean("berth.write.docs")) {
            Files.writeString(file, schema());
        }
        assertThat(schema()).as(file.toString()).isEqualTo(Files.readString(file));
    }

    @Test
    void theSchemaHasEveryKeyThatAFileMayHave() {
        for (JobOption option : JobOption.values()) {
            for (String key : option.keys()) {
                assertThat(schema().contains("\"" + key + "\": {")).as(key).isEqualTo(option.isOf(false));
            }
        }
        assertThat(List.of("command", "directory", "jobs")).allMatch(key -> schema().contains("\"" + key + "\": {"));
    }
}
