package dev.berth.server.config;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.berth.server.config.Configuration.Line;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A configuration as people and programs read it. No setting is a secret: passwords are in files, by their paths. */
public final class ConfigurationText {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ConfigurationText() {}

    /** Every setting, its value and where that came from, a line each. */
    public static List<String> table(Configuration configuration) {
        int keys = 0;
        int values = 0;
        for (Line line : configuration.lines()) {
            keys = Math.max(keys, line.key().length());
            values = Math.max(values, line.value().length());
        }
        String form = "%-" + keys + "s   %-" + values + "s   %s";
        List<String> table = new ArrayList<>();
        table.add(form.formatted("SETTING", "VALUE", "FROM"));
        for (Line line : configuration.lines()) {
            table.add(form.formatted(line.key(), line.value(), line.from()));
        }
        return table;
    }

    /** The configuration as one line of JSON; a value is a text, a list of texts, or null. */
    public static String json(Configuration configuration) {
        ArrayNode settings = JSON.arrayNode();
        for (Line line : configuration.lines()) {
            ObjectNode setting = settings.addObject().put("key", line.key());
            if (line.isList()) {
                ArrayNode items = setting.putArray("value");
                line.values().forEach(items::add);
            } else {
                setting.put(
                        "value", line.values().isEmpty() ? null : line.values().getFirst());
            }
            setting.put("from", line.from());
        }
        return JSON.objectNode()
                .<ObjectNode>set("files", files(configuration))
                .<ObjectNode>set("settings", settings)
                .toString();
    }

    /** The text that says that nothing is wrong, and with what. */
    public static String good(Configuration configuration, boolean json) {
        if (json) {
            return JSON.objectNode()
                    .put("good", true)
                    .<ObjectNode>set("files", files(configuration))
                    .toString();
        }
        return configuration.files().isEmpty()
                ? "the configuration is good; no file was found"
                : "the configuration is good; read: "
                        + configuration.files().stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    /** The problem, in the form of every error of Berth for programs. */
    public static String json(ConfigurationException wrong) {
        ArrayNode problems = JSON.arrayNode();
        wrong.problems().forEach(problems::add);
        return JSON.objectNode()
                .put("code", "CONFIGURATION")
                .put("message", wrong.getMessage())
                .<ObjectNode>set("details", JSON.objectNode().set("problems", problems))
                .toString();
    }

    private static ArrayNode files(Configuration configuration) {
        ArrayNode files = JSON.arrayNode();
        configuration.files().forEach(file -> files.add(file.toString()));
        return files;
    }
}
