package dev.berth.cli.output;

/** The colours of states and of a doctor's verdicts: those eight that every terminal has, as ECMA-48 selects them. */
final class Colours {
    private static final String BEGIN = "\u001b[3";
    private static final String END = "\u001b[0m";

    private Colours() {}

    /** The text in the colour of the state; as it is where the state has none. */
    static String paint(String state, String text) {
        char colour = of(state);
        return colour == ' ' ? text : BEGIN + colour + "m" + text + END;
    }

    private static char of(String state) {
        return switch (state) {
            case "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "LOST", DoctorText.FAILURE -> '1';
            case "RUNNING", "COMPLETED", DoctorText.OK -> '2';
            case "QUEUED", DoctorText.WARNING -> '3';
            case "HELD" -> '4';
            case "CANCELLED" -> '5';
            case "STARTING", "STOPPING" -> '6';
            default -> ' ';
        };
    }
}
