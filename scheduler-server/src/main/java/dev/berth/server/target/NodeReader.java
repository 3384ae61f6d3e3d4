package dev.berth.server.target;

import dev.berth.core.job.NodeTraits.Toleration;
import dev.berth.server.config.Lines;
import dev.berth.server.config.YamlNode;
import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The words of Kubernetes' for nodes that will do, in a target's settings and in profiles. */
public final class NodeReader {
    private static final String EXISTS = "Exists";

    private NodeReader() {}

    /** The labels that nodes must have, by their names. */
    public static Map<String, String> labels(Lines lines, Entry section) {
        return Fields.map(lines, section, Rule.LABEL, Rule.LABEL_VALUE);
    }

    /** The taints of nodes that jobs may run on all the same. */
    public static List<Toleration> tolerations(Lines lines, Entry list) {
        List<Toleration> tolerations = new ArrayList<>();
        for (YamlNode item : lines.items(list)) {
            if (item instanceof Entries) {
                Fields each = new Fields(
                        lines,
                        new Entry(item.line(), list.name(), item),
                        "a toleration",
                        List.of("key", "operator", "value", "effect", "tolerationSeconds"));
                tolerations.add(toleration(each));
            } else {
                lines.refuse(
                        item.line(), list.name(), "an item must be a toleration: {key: gpu, operator: " + EXISTS + "}");
            }
        }
        return tolerations;
    }

    private static Toleration toleration(Fields fields) {
        String operator = fields.text("operator", Rule.OPERATOR);
        String value = fields.text("value", Rule.LABEL_VALUE);
        String seconds = fields.text("tolerationSeconds", Rule.SECONDS);
        return new Toleration(
                Objects.requireNonNullElse(fields.text("key", Rule.LABEL), ""),
                EXISTS.equals(operator) ? null : value,
                fields.text("effect", Rule.EFFECT),
                seconds == null ? null : Long.valueOf(seconds));
    }
}
