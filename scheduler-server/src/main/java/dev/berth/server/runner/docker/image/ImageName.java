package dev.berth.server.runner.docker.image;

import java.util.regex.Pattern;

/** Names of images. */
public final class ImageName {
    /** The words that follow a text that is no such name. */
    public static final String RULE = "is not an image name such as python:3.12-slim";

    /** A host, a path, a tag, a digest (github.com/distribution/reference), less strict: the engine has the last word. */
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}");

    private ImageName() {}

    public static boolean isGood(String text) {
        return FORM.matcher(text).matches();
    }
}
