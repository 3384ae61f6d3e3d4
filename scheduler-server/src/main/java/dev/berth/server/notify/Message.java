package dev.berth.server.notify;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;

/**
 * A notice in the form that its receiver takes. Text of users is never markup in it: where a form has a plain kind of text, that
 * is used, and else all that could be markup is escaped.
 *
 * @param headers beside those that all have
 */
record Message(String contentType, Map<String, String> headers, String body) {
    static final String ID = "Berth-Notice-Id";
    static final String REPEATED = "Berth-Notice-Repeated";

    private static final String JSON = "application/json; charset=utf-8";

    /** Discord takes 2,000 characters. */
    private static final int MAX_DISCORD = 1_900;

    private static final String DISCORDS_MARKUP = "\\*_~`|>#-+[]()<@:!&";
    private static final String AGAIN = " (this may have been sent before)";

    /**
     * What is sent for a notice.
     *
     * @param key its name
     * @param isRepeated whether the receiver may have it already
     */
    static Message of(Form form, String key, Content content, boolean isRepeated) {
        Map<String, String> headers = new TreeMap<>(Map.of(ID, key, REPEATED, Boolean.toString(isRepeated)));
        return switch (form) {
            case JSON -> new Message(JSON, headers, own(key, content, isRepeated));
            case SLACK -> new Message(JSON, headers, slack(text(content, isRepeated)));
            case DISCORD -> new Message(JSON, headers, discord(text(content, isRepeated)));
            case TEAMS -> new Message(JSON, headers, teams(content, isRepeated));
            case NTFY -> {
                headers.put("Title", "Berth: " + content.number() + " " + content.state());
                headers.put("Tags", content.state().equals("COMPLETED") ? "white_check_mark" : "warning");
                yield new Message("text/plain; charset=utf-8", headers, text(content, isRepeated));
            }
        };
    }

    /** For people who read plain text. */
    static String text(Content content, boolean isRepeated) {
        StringBuilder text = new StringBuilder(content.title() + (isRepeated ? AGAIN : ""));
        content.lines()
                .forEach(line ->
                        text.append('\n').append(line.label()).append(": ").append(line.value()));
        return text.toString();
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static String own(String key, Content content, boolean isRepeated) {
        ObjectNode body = object().put("id", key).put("repeated", isRepeated).put("moment", content.moment());
        body.put("at", content.at()).put("server", content.server()).put("text", content.title());
        ObjectNode job = body.putObject("job").put("id", content.job()).put("number", content.number());
        job.put("name", content.name()).put("project", content.project()).put("user", content.user());
        job.put("state", content.state()).put("reason", content.reason()).put("sentence", content.sentence());
        job.put("exitCode", content.exitCode())
                .put("runSeconds", content.seconds())
                .put("gpus", content.gpus());
        job.put("attempt", content.attempt());
        if (!content.tasks().isEmpty()) {
            content.tasks().forEach(job.putObject("tasks")::put);
        }
        return body.toString();
    }

    /** Blocks of plain text: no mentions, no links, no bold. The text beside them is for the list of news, and is escaped. */
    private static String slack(String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        ObjectNode body = object().put("text", escaped);
        ObjectNode section = body.putArray("blocks").addObject().put("type", "section");
        section.putObject("text").put("type", "plain_text").put("text", text).put("emoji", false);
        return body.toString();
    }

    private static String discord(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int at = 0; at < text.length() && escaped.length() < MAX_DISCORD; at++) {
            char character = text.charAt(at);
            if (DISCORDS_MARKUP.indexOf(character) >= 0) {
                escaped.append('\\');
            }
            escaped.append(character);
        }
        ObjectNode body = object().put("content", escaped.toString());
        body.putObject("allowed_mentions").putArray("parse");
        return body.toString();
    }

    /** An adaptive card of text runs, which have no markup. */
    private static String teams(Content content, boolean isRepeated) {
        ObjectNode card = object().put("type", "AdaptiveCard").put("version", "1.2");
        card.put("$schema", "http://adaptivecards.io/schemas/adaptive-card.json");
        ArrayNode blocks = card.putArray("body");
        run(blocks, content.title() + (isRepeated ? AGAIN : "")).put("weight", "bolder");
        content.lines().forEach(line -> run(blocks, line.label() + ": " + line.value()));
        ObjectNode body = object().put("type", "message");
        ObjectNode attachment = body.putArray("attachments").addObject();
        attachment.put("contentType", "application/vnd.microsoft.card.adaptive").set("content", card);
        return body.toString();
    }

    private static ObjectNode run(ArrayNode blocks, String text) {
        ArrayNode inlines = blocks.addObject().put("type", "RichTextBlock").putArray("inlines");
        return inlines.addObject().put("type", "TextRun").put("text", text);
    }
}
