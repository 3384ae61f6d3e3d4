package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Option of a job as somebody gave it, once or several times, on the command line or in a file.
 *
 * @param place the file and the line in it; empty for the command line
 * @param name as it is written there: an option, or a key of a file
 * @param texts its values; none of a flag
 * @param behind the words that follow on the values in the command line; none in a file
 * @param written the option with its value as another tool has it; null where the two stand as Berth has them
 */
public record Given(
        String place,
        String name,
        List<String> texts,
        List<String> behind,
        @Nullable String written) {
    /** The option as a file has it. */
    public static Given in(String place, String name, List<String> texts) {
        return new Given(place, name, texts, List.of(), null);
    }

    /** The only value; empty for a flag. */
    public String text() {
        return texts.isEmpty() ? "" : texts.getFirst();
    }

    private boolean isKey() {
        return !name.startsWith("-");
    }

    /** The option with a value, for a sentence that goes on with what is wrong with the two. */
    public String with(String value) {
        return located(written != null ? written : value.isEmpty() ? name : name + (isKey() ? ": " : " ") + value);
    }

    /** The option and something in its value, for a sentence that goes on with what is wrong with that. */
    public String of(String value) {
        return located(name + ": '" + value + "'");
    }

    private String located(String said) {
        return place.isEmpty() ? said : place + ": " + said;
    }

    /** The place for people: the option in the command line, or the line of the file. */
    public String origin() {
        return place.isEmpty() ? name : place;
    }

    /** The same refusal, with the place, and with an example as it is written there, if any. */
    public Failure retold(Failure refused) {
        if (place.isEmpty()) {
            return refused;
        }
        String example = "for example " + name;
        String sentence = String.valueOf(refused.getMessage());
        String fitting = isKey() ? sentence.replace(example + " ", example + ": ") : sentence;
        int ownExample = written == null ? -1 : fitting.lastIndexOf("; " + example);
        if (ownExample >= 0) {
            // The other tool writes the value in its own way.
            fitting = fitting.substring(0, ownExample);
        }
        return Failure.of(refused.exitCode(), refused.error().code(), located(fitting));
    }
}
