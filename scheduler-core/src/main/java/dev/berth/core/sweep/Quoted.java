package dev.berth.core.sweep;

/** Text or value of a file in a sentence: in quotation marks, and cut where it is long. */
final class Quoted {
    private static final int MAX = 60;

    private Quoted() {}

    static String of(String text) {
        return "'" + cut(text) + "'";
    }

    static String of(SweepValue value) {
        return switch (value) {
            case SweepValue.Section _ -> "(a map)";
            case SweepValue.Items _ -> "(a list)";
            case SweepValue.Scalar scalar -> cut(PythonText.represented(scalar.value()));
        };
    }

    static String cut(String text) {
        return text.length() <= MAX ? text : text.substring(0, text.offsetByCodePoints(0, MAX / 2)) + "...";
    }
}
