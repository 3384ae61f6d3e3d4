package dev.berth.cli.output.text;

/** The colours of states and of a doctor's verdicts: those eight that every terminal has, as ECMA-48 selects them. */
public final class Colours {
    private static final String BEGIN = "\u001b[3";
    private static final String END = "\u001b[0m";

    static final char NONE = ' ';
    static final char RED = '1';
    static final char GREEN = '2';
    static final char YELLOW = '3';
    static final char BLUE = '4';
    static final char MAGENTA = '5';
    static final char CYAN = '6';

    private Colours() {}

    /** The text in one of these colours. */
    static String in(char colour, String text) {
        return colour == NONE || text.isBlank() ? text : BEGIN + colour + "m" + text + END;
    }

    /** The text in the colour of the state; as it is where the state has none. */
    static String paint(String state, String text) {
        return in(of(state), text);
    }

    private static char of(String state) {
        return switch (state) {
            case "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", DoctorText.FAILURE -> RED;
            case "RUNNING", "COMPLETED", DoctorText.OK -> GREEN;
            case "QUEUED", DoctorText.WARNING -> YELLOW;
            case "HELD" -> BLUE;
            case "CANCELLED" -> MAGENTA;
            case "STARTING", "STOPPING" -> CYAN;
            default -> NONE;
        };
    }
}
