package dev.berth.cli.line;

import dev.berth.cli.exit.Failure;

/**
 * The forms of Slurm's values for options that Berth has by the same name, each with Berth's own. A line has a form on its
 * left, and on its right what Berth understands.
 */
enum SlurmForm {
    TIME("""
            (\\d+)-(\\d\\d?) :: $1d$2h
            (\\d+)-(\\d\\d?):(\\d\\d?) :: $1d$2h$3m
            (\\d+)-(\\d\\d?):(\\d\\d?):(\\d\\d?) :: $1d$2h$3m$4s
            """),
    SIGNAL("""
            [BR]{1,2}:(?:SIG)?(\\w+) :: $1@60s
            [BR]{1,2}:(?:SIG)?(\\w+)@(\\d+) :: $1@$2s
            """),
    BEGIN("""
            now\\+(\\d+)seconds? :: +$1s
            now\\+(\\d+)minutes? :: +$1m
            now\\+(\\d+)hours? :: +$1h
            now\\+(\\d+)days? :: +$1d
            """);

    private final String table;

    SlurmForm(String table) {
        this.table = table;
    }

    /** Refuses a value in a form of Slurm's with Berth's own; no other value. */
    void refuse(String option, String text) {
        for (String line : table.split("\n")) {
            String[] columns = line.split(" :: ");
            if (text.matches(columns[0])) {
                throw Failure.usage(option + ": '" + text + "' is a form of Slurm's; in Berth that is " + option + " "
                        + text.replaceFirst(columns[0], columns[1]));
            }
        }
    }
}
