package dev.berth.server.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A body that its description would allow, but for what is wrong with it here and there. */
final class HostileJson {
    private static final int DEPTH = 8;

    private final ApiDescription api;
    private final HostileText texts;
    private final SplittableRandom random;
    private final Map<String, List<String>> known;

    /**
     * Of a seed.
     *
     * @param known what a field of that name may well hold
     */
    HostileJson(ApiDescription api, SplittableRandom random, Map<String, List<String>> known) {
        this.api = api;
        this.random = random;
        this.texts = new HostileText(random);
        this.known = known;
    }

    String of(JsonNode schema) {
        StringBuilder json = new StringBuilder();
        write(json, "", schema, 0);
        return texts.chance(0.1) ? broken(json.toString()) : json.toString();
    }

    private void write(StringBuilder json, String name, JsonNode described, int depth) {
        JsonNode schema = api.resolved(described);
        if (texts.chance(0.03) || depth > DEPTH) {
            anything(json);
            return;
        }
        String type = type(schema);
        switch (type) {
            case "object" -> object(json, schema, depth);
            case "array" -> array(json, name, schema, depth);
            case "integer", "number" -> json.append(number(schema));
            case "boolean" -> json.append(random.nextBoolean());
            case "null" -> json.append("null");
            default -> quote(json, string(name, schema));
        }
    }

    private String type(JsonNode schema) {
        JsonNode type = schema.path("type");
        if (!type.isArray()) {
            return type.asText("string");
        }
        return texts.chance(0.9)
                ? type.get(0).asText()
                : type.get(random.nextInt(type.size())).asText();
    }

    private void object(StringBuilder json, JsonNode schema, int depth) {
        json.append('{');
        boolean isRequired = schema.path("required").isArray();
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            boolean required = isRequired && contains(schema.path("required"), property.getKey());
            boolean twice = texts.chance(0.005);
            for (int i = 0; i < (twice ? 2 : texts.chance(required ? 0.97 : 0.2) ? 1 : 0); i++) {
                key(json, property.getKey());
                write(json, property.getKey(), property.getValue(), depth + 1);
            }
        }
        if (schema.path("additionalProperties").isObject()) {
            for (int i = random.nextInt(3); i > 0; i--) {
                key(json, texts.chance(0.5) ? "KEY" + i : texts.text());
                write(json, "", schema.path("additionalProperties"), depth + 1);
            }
        }
        if (texts.chance(0.02)) {
            key(json, texts.text());
            anything(json);
        }
        json.append('}');
    }

    private static boolean contains(JsonNode list, String word) {
        for (JsonNode each : list) {
            if (each.equals(TextNode.valueOf(word))) {
                return true;
            }
        }
        return false;
    }

    private static void key(StringBuilder json, String name) {
        if (json.charAt(json.length() - 1) != '{') {
            json.append(',');
        }
        quote(json, name);
        json.append(':');
    }

    private void array(StringBuilder json, String name, JsonNode schema, int depth) {
        json.append('[');
        for (int i = texts.chance(0.002) ? 5_000 : random.nextInt(4); i > 0; i--) {
            write(json, name, schema.path("items"), depth + 1);
            json.append(i > 1 ? "," : "");
        }
        json.append(']');
    }

    private String number(JsonNode schema) {
        return texts.chance(0.6)
                ? Long.toString(schema.path("minimum").asLong(0) + random.nextInt(3))
                : texts.pick(HostileText.NUMBERS);
    }

    private String string(String name, JsonNode schema) {
        if (texts.chance(0.15)) {
            return texts.text();
        }
        List<String> good = known.get(name);
        if (good != null) {
            return texts.pick(good);
        }
        JsonNode words = schema.path("enum");
        return words.isArray() ? words.get(random.nextInt(words.size())).asText() : "word" + random.nextInt(9);
    }

    private void anything(StringBuilder json) {
        switch (random.nextInt(8)) {
            case 0 -> json.append(texts.pick(HostileText.NUMBERS));
            case 1 -> json.append("null");
            case 2 -> json.append("{}");
            case 3 -> json.append("[[]]");
            case 4 -> json.append("\"\\ud800\"");
            case 5 -> json.append(random.nextBoolean());
            default -> quote(json, texts.text());
        }
    }

    /** With an escape for what must have one; the others go as they are. */
    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each < 0x20 || each == '"' || each == '\\' || Character.isSurrogate(each)) {
                json.append("\\u%04x".formatted((int) each));
            } else {
                json.append(each);
            }
        }
        json.append('"');
    }

    private String broken(String json) {
        int at = random.nextInt(json.length() + 1);
        return switch (random.nextInt(9)) {
            case 0 -> json.substring(0, at);
            case 1 -> json.substring(0, at) + texts.text() + json.substring(at);
            case 2 -> json + json;
            case 3 -> json + " " + texts.text();
            case 4 -> "\ufeff" + json;
            case 5 -> "[".repeat(1 + random.nextInt(5_000));
            case 6 -> "{\"a\":".repeat(1 + random.nextInt(5_000));
            case 7 -> json.replace('"', '\'');
            default -> json.substring(0, at) + "\\ud800" + json.substring(at);
        };
    }
}
