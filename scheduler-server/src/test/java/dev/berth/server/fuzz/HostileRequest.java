package dev.berth.server.fuzz;

import dev.berth.server.fuzz.ApiDescription.Operation;
import java.nio.charset.StandardCharsets;

/**
 * The bytes of a request.
 *
 * @param operation what it was made from
 * @param isWhole whether its method and path are the operation's still
 * @param isHead whether its answer has no body, whatever its header says
 * @param isLast whether the connection ends with it
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares two of them
public record HostileRequest(Operation operation, byte[] bytes, boolean isWhole, boolean isHead, boolean isLast) {
    private static final int SHOWN = 1_500;

    /** Whether it asks for a change of anything. */
    boolean isChange() {
        return isWhole && operation.changes();
    }

    /** Its bytes as one line, to be sent again by hand. */
    @Override
    public String toString() {
        StringBuilder shown = new StringBuilder(operation.name()).append(": ");
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        for (int i = 0; i < Math.min(text.length(), SHOWN); i++) {
            char each = text.charAt(i);
            shown.append(
                    each >= 0x20 && each < 0x7f && each != '\\'
                            ? String.valueOf(each)
                            : "\\x%02x".formatted((int) each));
        }
        return text.length() > SHOWN ? shown + "... of " + text.length() + " bytes" : shown.toString();
    }
}
