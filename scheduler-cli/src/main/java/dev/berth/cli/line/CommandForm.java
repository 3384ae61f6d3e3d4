package dev.berth.cli.line;

/** The form of a command's line. */
public interface CommandForm {
    /** The shape of its line, and its help. */
    Shape shape();

    /** The number of words of its line that are Berth's before a program's begin; -1 where no program follows. */
    default int ownWords() {
        return -1;
    }
}
