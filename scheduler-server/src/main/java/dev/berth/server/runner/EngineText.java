package dev.berth.server.runner;

import dev.berth.core.text.Utf8;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text in which a container engine may have had its say, for people: a sentence, and all that was said behind it. Only
 * what is shown follows from it, never what is done.
 *
 * @param sentence short
 * @param details the whole text; null where the sentence says it all
 */
public record EngineText(String sentence, @Nullable String details) {
    /** What is longer is cut in its middle: an engine says at the end what it has met. */
    private static final int MAX = 300;

    private static final int SHOWN_END = 120;

    /** The steps through which an engine hands an error on: Docker's, containerd's, runc's, and those of NVIDIA's hooks. */
    private static final Pattern STEPS = Pattern.compile(
            "(?:(?:failed to create task for container|failed to create shim task|failed to create shim|OCI runtime"
                    + " (?:create|start) failed|(?:runc|crun|nvidia-container-runtime)(?: create)? failed|unable to start"
                    + " container process|error during container init|error running (?:prestart|createRuntime|startContainer)"
                    + " hook(?: #\\d+)?|exit status \\d+, stdout: [^\\n]{0,200}?, stderr):\\s+"
                    + "|Auto-detected mode as '[a-z0-9-]+'\\s+)+");

    private static final Pattern CAUSE = Pattern.compile("(?::\\s*(?:unknown|unavailable)?)+(?=$|[;)])");
    private static final Pattern LINE_BREAKS = Pattern.compile("\\s*[\\n\\r]\\s*");

    /** The text as it is where it is short and hands nothing on. */
    public static EngineText of(String text) {
        String told = CAUSE.matcher(STEPS.matcher(text.strip()).replaceAll("")).replaceAll("");
        String sentence = cut(LINE_BREAKS.matcher(told.isBlank() ? text : told).replaceAll("; "));
        return new EngineText(sentence, sentence.equals(text) ? null : text);
    }

    private static String cut(String line) {
        if (line.length() <= MAX) {
            return line;
        }
        int end = line.length() - SHOWN_END;
        return Utf8.cut(line, MAX - SHOWN_END)
                + line.substring(Character.isLowSurrogate(line.charAt(end)) ? end + 1 : end);
    }
}
