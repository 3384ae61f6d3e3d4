package dev.berth.server.track.source;

import dev.berth.core.text.HarmlessText;

/**
 * What was left out of what a program told, and why. The rest counts.
 *
 * @param sample the beginning of what was left out, in a form that does no harm on a terminal; may be empty
 */
public record Problem(Kind kind, String sample) {

    /** The rules that can be broken, each with a sentence for the job's warnings. */
    public enum Kind {
        LINE_TOO_LONG("A line is longer than 65,536 bytes."),
        NOT_JSON("A line is no JSON object."),
        NOTHING_TOLD("A line has none of metric, param, tag, artifact and progress."),
        WORDS(
                "A line after \"::berth\" must have metric, param, tag, artifact or progress, then words such as lr=0.1."),
        QUOTE("A line after \"::berth\" has an opening quote without a closing one."),
        KEY_TWICE("A line has a key twice; the last one counts."),
        TOO_DEEP("A parameter is nested in more than 16 objects."),
        NAME("A name must have 1 to 250 bytes and no control characters."),
        TEXT("A text must be given as a text, a number or a truth value."),
        TEXT_TOO_LONG("A value of a parameter or a tag must have at most 4,096 bytes."),
        NO_VALUE("A metric or a parameter has no value."),
        NO_NUMBER("The value of a metric must be a number, true, false, NaN, Infinity or -Infinity."),
        STEP("A step must be a whole number of 64 bits; the point is kept as one without a step."),
        TIME("A time must be seconds since 1970 or ISO 8601, before the year 10000; the entry is kept without it."),
        ARTIFACT("The path of an artifact must have 1 to 4,096 bytes and no control characters."),
        PROGRESS("Progress must be a number from 0 on, and what it is of a number above 0."),
        FILE_SHORTER("The file is shorter than what was read of it before; it is read no further."),
        LENGTH("The length of a record is damaged or beyond what a record can have; the file is read no further."),
        CHECKSUM("The checksum of a record is wrong; the file is read no further."),
        RECORD_TOO_LARGE("A record is larger than 16 MiB."),
        RECORD_BROKEN("A record is no event as TensorBoard defines it; what stands before the fault counts."),
        FILE_TOO_LARGE("The file is larger than 64 MiB; it is read no further."),
        ROW_TOO_LONG("A row is longer than 1 MiB; the file is read no further."),
        NO_ITERATION("The file has no column iter, i, iteration or index; it is not read."),
        ROW("A row has another number of fields than the header."),
        COLUMN("A column has values that are no numbers.");

        private final String sentence;

        Kind(String sentence) {
            this.sentence = sentence;
        }

        public String sentence() {
            return sentence;
        }
    }

    static Problem of(Kind kind, String text) {
        return new Problem(kind, HarmlessText.of(text));
    }
}
