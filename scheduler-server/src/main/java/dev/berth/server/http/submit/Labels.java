package dev.berth.server.http.submit;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.PrintableText;
import org.jspecify.annotations.Nullable;

/** Words that people give things, and what of them may be shown. */
public final class Labels {
    static final int MAX_LENGTH = 128;

    private Labels() {}

    public static String checked(String field, @Nullable String value, String otherwise) {
        String label = value == null ? otherwise : value;
        if (label.isBlank() || label.length() > MAX_LENGTH) {
            throw ApiException.field(field, PrintableText.of(label), "must have 1 to " + MAX_LENGTH + " characters");
        }
        if (PrintableText.hasInvisible(label)) {
            throw ApiException.field(field, PrintableText.of(label), "must not hold control or formatting characters");
        }
        return label;
    }
}
