package dev.berth.cli.line;

/** The form of a command's line. */
public interface CommandForm {
    /** What its line may hold, and its help. */
    Shape shape();

    /** How many words of its line are Berth's before a program's begin; -1 where no program follows. */
    default int ownWords() {
        return -1;
    }
}
