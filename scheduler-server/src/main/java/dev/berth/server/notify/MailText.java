package dev.berth.server.notify;

import dev.berth.server.notify.Receiver.Mail;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A notice as mail (RFC 5322). All that comes of users is in Base64, in the subject (RFC 2047) as in the text: no line of theirs
 * can be a header, or the end of the mail.
 */
final class MailText {
    /** The bytes that an encoded word of at most 75 characters holds, and no character is in two of them. */
    private static final int WORD_BYTES = 45;

    private static final int MAX_SUBJECT = 200;

    private MailText() {}

    /** The text, up to the line that ends it. */
    static String of(String from, Mail to, String key, Content content, boolean isRepeated) {
        String domain = from.substring(from.indexOf('@') + 1);
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.parse(content.at()).atOffset(ZoneOffset.UTC));
        String body = Base64.getMimeEncoder()
                .encodeToString((Message.text(content, isRepeated) + "\n").getBytes(StandardCharsets.UTF_8));
        return String.join(
                "\r\n",
                List.of(
                        "From: Berth <" + from + ">",
                        "To: <" + to.address() + ">",
                        "Subject: " + encoded("Berth: " + OneLine.of(content.title(), MAX_SUBJECT)),
                        "Date: " + date,
                        "Message-ID: <" + key + "@" + domain + ">",
                        Message.ID + ": " + key,
                        Message.REPEATED + ": " + isRepeated,
                        "Auto-Submitted: auto-generated",
                        "MIME-Version: 1.0",
                        "Content-Type: text/plain; charset=utf-8",
                        "Content-Transfer-Encoding: base64",
                        "",
                        body,
                        ""));
    }

    private static String encoded(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        int bytes = 0;
        for (int at = 0; at < text.length(); ) {
            int character = text.codePointAt(at);
            int size = Character.toString(character).getBytes(StandardCharsets.UTF_8).length;
            if (bytes + size > WORD_BYTES) {
                words.add(word(word.toString()));
                word.setLength(0);
                bytes = 0;
            }
            word.appendCodePoint(character);
            bytes += size;
            at += Character.charCount(character);
        }
        words.add(word(word.toString()));
        return String.join("\r\n ", words);
    }

    private static String word(String text) {
        return "=?UTF-8?B?" + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)) + "?=";
    }
}
