"""Draws small graphs and statements on them, for a comparison.

What is drawn is typed: an expression is of numbers, texts, truths or lists, so that most statements
have an answer. A clause knows what names are bound before it. Shapes of which FalkorDB is known to
answer wrongly are not drawn; they are named where they would be.
"""

LABELS = ("A", "B", "C")
TYPES = ("R", "S", "T")
TEXTS = ("a", "b", "ab", "Abc", "", "x y", "zz", "é")


class Draw:
    """Draws statements. `chance` is a random.Random."""

    def __init__(self, chance):
        self.chance = chance
        self.names = {}  # what is bound: a name, and its kind
        self.fresh = 0
        self.scopes = True
        self.optional = False
        self.labels, self.types = set(), set()  # what the graph has been made with

    def maybe(self, probability):
        return self.chance.random() < probability

    def one(self, *choices):
        return self.chance.choice(choices)

    def name(self, kind):
        self.fresh += 1
        name = f"{kind[0]}{self.fresh}"
        self.names[name] = kind
        return name

    def bound(self, kind):
        return [name for name, of in self.names.items() if of == kind]

    # Graphs.

    def graph(self):
        """A statement that makes a graph; each node has a number of its own, and so have edges."""
        nodes, edges, pairs = self.chance.randint(1, 9), self.chance.randint(0, 16), set()
        parts = []
        for number in range(nodes):
            labels = [label for label in LABELS if self.maybe(0.4)]
            self.labels.update(labels)
            named = "".join(f":{label}" for label in labels)
            parts.append(f"(n{number}{named} {self.entity(number)})")
        for number in range(edges):
            kind = self.one(*TYPES)
            pair = (self.chance.randrange(nodes), kind, self.chance.randrange(nodes))
            # FalkorDB counts several edges of a type from one node to another once where nothing
            # but their number is asked.
            if pair in pairs:
                continue
            pairs.add(pair)
            self.types.add(kind)
            parts.append(f"(n{pair[0]})-[:{kind} {self.entity(number)}]->(n{pair[2]})")
        return "CREATE " + ", ".join(parts)

    def entity(self, number):
        """The properties of a node or an edge."""
        parts = [f"id: {number}"]
        if self.maybe(0.7):
            parts.append(f"x: {self.chance.randint(-2, 4)}")
        if self.maybe(0.5):
            parts.append(f"s: '{self.one(*TEXTS)}'")
        if self.maybe(0.4):
            parts.append(f"f: {self.one(0.5, 1.5, -2.25, 3.0)}")
        if self.maybe(0.3):
            parts.append(f"b: {self.one('true', 'false')}")
        if self.maybe(0.3):
            parts.append(f"l: {[self.chance.randint(0, 3) for _ in range(self.one(1, 2, 3))]}")
        return "{" + ", ".join(parts) + "}"

    def acyclic(self):
        """A statement that makes a graph in which no way leads back, and at most one relationship
        from a node to another. In others FalkorDB leaves out paths that come by a node twice."""
        nodes = self.chance.randint(2, 8)
        parts = [f"(n{number}:{self.one(*LABELS)} {self.entity(number)})"
                 for number in range(nodes)]
        pairs = {tuple(sorted(self.chance.sample(range(nodes), 2)))
                 for _ in range(self.chance.randint(0, 12))}
        parts += [f"(n{one})-[:{self.one(*TYPES)} {self.entity(number)}]->(n{other})"
                  for number, (one, other) in enumerate(sorted(pairs))]
        return "CREATE " + ", ".join(parts)

    # Expressions.

    def integer(self, depth=2):
        entities = self.bound("node") + self.bound("edge")
        # In brackets: to FalkorDB -1 IN x is the negative of 1 IN x.
        leaves = [lambda: self.one("(-3)", "(-1)", "0", "1", "2", "3", "5")]
        leaves += [lambda name=name: name for name in self.bound("integer")]
        if entities:
            entity = lambda: self.chance.choice(entities)
            leaves += [lambda: f"{entity()}.x", lambda: f"{entity()}.id"] * 2
        if depth <= 0:
            return self.chance.choice(leaves)()
        inner = lambda: self.integer(depth - 1)
        more = [
            lambda: f"({inner()} {self.one('+', '-', '*')} {inner()})",
            lambda: f"({inner()} % {self.one(2, 3, 5)})",
            lambda: f"abs({inner()})",
            lambda: f"sign({inner()})",
            lambda: f"size({self.text(depth - 1)})",
            lambda: f"size({self.list(depth - 1)})",
            lambda: f"coalesce({inner()}, {inner()})",
            lambda: f"CASE WHEN {self.truth(depth - 1)} THEN {inner()} ELSE {inner()} END",
            lambda: f"CASE {inner()} WHEN {inner()} THEN {inner()} END",
            lambda: f"head({self.list(depth - 1)})",
            lambda: f"last({self.list(depth - 1)})",
            lambda: f"{self.list(depth - 1)}[{self.chance.randint(-3, 3)}]",
            lambda: f"toInteger({self.one(repr('12'), repr('x'), '1.7', repr('3.9'))})",
            lambda: self.reduce(depth),
        ]
        if self.bound("path"):
            more.append(lambda: f"length({self.chance.choice(self.bound('path'))})")
        if self.bound("node"):
            node = lambda: self.chance.choice(self.bound("node"))
            more += [lambda: f"size(labels({node()}))", lambda: f"outdegree({node()})",
                     lambda: f"indegree({node()})"]
        return self.chance.choice(leaves * 2 + more)()

    def reduce(self, depth):
        if not self.scopes:
            return self.integer(0)
        total, element = self.name("integer"), self.name("integer")
        start = str(self.chance.randint(0, 2))
        text = self.list(depth - 1)
        step = self.integer(0)
        del self.names[total], self.names[element]
        if {total, element} & set(step.split(".")):
            return f"size({text})"
        return f"reduce({total} = {start}, {element} IN {text} | {total} + {element} * 2 - {step})"

    def float(self, depth=2):
        entities = self.bound("node") + self.bound("edge")
        leaves = [lambda: str(self.one(0.5, -1.25, 2.0, 10.5))]
        if entities:
            leaves.append(lambda: f"{self.chance.choice(entities)}.f")
        if depth <= 0:
            return self.chance.choice(leaves)()
        inner = lambda: self.float(depth - 1)
        return self.chance.choice(leaves * 2 + [
            lambda: f"({inner()} {self.one('+', '-', '*')} {inner()})",
            lambda: f"({inner()} / {self.one(2, 4.0, -0.5)})",
            lambda: f"{self.one('floor', 'ceil', 'abs', 'round')}({inner()})",
            lambda: f"toFloat({self.integer(depth - 1)})",
            lambda: f"sqrt(abs({inner()}))",
        ])()

    def text(self, depth=2):
        entities = self.bound("node") + self.bound("edge")
        leaves = [lambda: repr(self.one(*TEXTS))]
        leaves += [lambda name=name: name for name in self.bound("text")]
        if entities:
            leaves += [lambda: f"{self.chance.choice(entities)}.s"] * 2
        if self.bound("edge"):
            leaves.append(lambda: f"type({self.chance.choice(self.bound('edge'))})")
        if depth <= 0:
            return self.chance.choice(leaves)()
        inner = lambda: self.text(depth - 1)
        return self.chance.choice(leaves * 2 + [
            lambda: f"({inner()} + {inner()})",
            lambda: f"toUpper({inner()})",
            lambda: f"toLower({inner()})",
            lambda: f"trim({inner()})",
            lambda: f"reverse({inner()})",
            lambda: f"substring({inner()}, {self.one(0, 1, 2)})",
            lambda: f"left({inner()}, {self.one(0, 1, 3)})",
            lambda: f"right({inner()}, {self.one(0, 1, 3)})",
            lambda: f"replace({inner()}, 'a', 'xy')",
            lambda: f"toString({self.integer(depth - 1)})",
            lambda: f"coalesce({inner()}, 'none')",
        ])()

    def list(self, depth=2):
        entities = self.bound("node") + self.bound("edge")
        leaves = [lambda: str([self.chance.randint(-1, 4) for _ in range(self.one(0, 1, 2, 3))]),
                  lambda: f"range({self.one(0, 1)}, {self.one(0, 2, 3)})"]
        leaves += [lambda name=name: name for name in self.bound("list")]
        if entities:
            leaves.append(lambda: f"{self.chance.choice(entities)}.l")
        if depth <= 0:
            return self.chance.choice(leaves)()
        inner = lambda: self.list(depth - 1)
        return self.chance.choice(leaves * 2 + [
            lambda: f"({inner()} + {inner()})",
            lambda: f"tail({inner()})",
            lambda: f"reverse({inner()})",
            lambda: f"{inner()}[{self.one('0..2', '1..', '..-1', '-2..')}]",
            lambda: self.comprehension(depth),
            lambda: f"[{self.integer(depth - 1)}, {self.integer(depth - 1)}]",
        ])()

    def comprehension(self, depth):
        if not self.scopes:
            return self.list(0)
        source = self.list(depth - 1)
        element = self.name("integer")
        where = f" WHERE {self.truth(depth - 1)}" if self.maybe(0.5) else ""
        value = f" | {self.integer(depth - 1)}" if self.maybe(0.6) else ""
        del self.names[element]
        return f"[{element} IN {source}{where}{value}]"

    def truth(self, depth=2):
        inner = lambda: self.truth(depth - 1)
        operator = lambda: self.one("=", "<>", "<", "<=", ">", ">=")
        leaves = [
            lambda: f"{self.integer(depth - 1)} {operator()} {self.integer(depth - 1)}",
            lambda: f"{self.text(depth - 1)} {operator()} {self.text(depth - 1)}",
            lambda: f"{self.integer(depth - 1)} IN {self.list(depth - 1)}",
            lambda: f"{self.text(depth - 1)} {self.one('STARTS WITH', 'ENDS WITH', 'CONTAINS')} "
                    f"{self.text(0)}",
            lambda: f"{self.integer(depth - 1)} IS {self.one('', 'NOT ')}NULL",
            lambda: f"{self.text(0)} IS {self.one('', 'NOT ')}NULL",
        ]
        entities = self.bound("node") + self.bound("edge")
        if entities:
            leaves.append(lambda: f"{self.chance.choice(entities)}.b")
        nodes = self.bound("node")
        if nodes:
            leaves.append(lambda: f"{self.chance.choice(nodes)}:{self.one(*LABELS)}")
        if len(nodes) > 1:
            leaves.append(lambda: f"{self.chance.choice(nodes)} {self.one('=', '<>')} "
                                  f"{self.chance.choice(nodes)}")
        if depth <= 0:
            return self.chance.choice(leaves)()
        return self.chance.choice(leaves * 2 + [
            lambda: f"({inner()} {self.one('AND', 'OR', 'XOR')} {inner()})",
            lambda: f"NOT ({inner()})",
            lambda: self.quantifier(depth) if self.scopes else inner(),
        ])()

    def condition(self):
        """What a WHERE asks. It names something: where FalkorDB knows before that nothing fulfils a
        condition, it has no row where an aggregation of none has one."""
        name, kind = self.chance.choice(list(self.names.items()))
        never = {"node": f"{name}.id = 12345", "edge": f"{name}.id = 12345",
                 "path": f"length({name}) = 12345", "list": f"size({name}) = 12345",
                 "text": f"{name} = 'never'"}
        # FalkorDB forgets rows where what has names of its own stands beside OR.
        self.scopes = False
        text = f"({self.truth()} OR {never.get(kind, f'{name} = 12345')})"
        self.scopes = True
        return text

    def quantifier(self, depth):
        source = self.list(depth - 1)
        element = self.name("integer")
        test = self.truth(depth - 1)
        del self.names[element]
        return f"{self.one('all', 'any', 'none', 'single')}({element} IN {source} WHERE {test})"

    def value(self):
        """An expression of any kind."""
        return self.chance.choice([self.integer, self.float, self.text, self.list, self.truth])()

    # Patterns.

    def node(self):
        if self.bound("node") and self.maybe(0.35):
            return f"({self.chance.choice(self.bound('node'))})"
        labels = f":{self.one(*LABELS)}" if self.maybe(0.4) else ""
        properties = f" {{x: {self.chance.randint(-2, 4)}}}" if self.maybe(0.1) else ""
        return f"({self.name('node')}{labels}{properties})"

    def edge(self):
        types = ""
        if self.maybe(0.6):
            types = ":" + "|".join(self.chance.sample(TYPES, self.one(1, 1, 2)))
        # FalkorDB counts a relationship that has no name as one of its kind, so each has one.
        text = f"[{self.name('edge')}{types}]"
        return self.one(f"-{text}->", f"<-{text}-", f"-{text}-")

    def path(self):
        text = self.node()
        for _ in range(self.one(0, 1, 1, 1, 2, 2, 3)):
            text += self.edge() + self.node()
        if "-" in text and self.maybe(0.2):
            return f"{self.name('path')} = {text}"
        return text

    def pattern(self):
        return ", ".join(self.path() for _ in range(self.one(1, 1, 1, 2)))

    # Clauses and statements.

    def match(self):
        """A match; its relationships are named in its condition, as FalkorDB counts those of one
        kind once of which nothing is asked, and takes one twice in a pattern unless told not to."""
        before = set(self.names)
        optional = self.maybe(0.2) and bool(self.names)
        text = f"{'OPTIONAL ' if optional else ''}MATCH {self.pattern()}"
        edges = [name for name in self.bound("edge") if name not in before]
        tests = [f"{edge}.id >= 0" for edge in edges]
        tests += [f"{one} <> {other}" for at, one in enumerate(edges) for other in edges[:at]]
        if self.maybe(0.6):
            tests.append(self.condition())
        self.optional = optional
        return text + (f" WHERE {' AND '.join(tests)}" if tests else "")

    def unwind(self):
        text = self.list()
        return f"UNWIND {text} AS {self.name('integer')}"

    def projected(self, word):
        """The items of a WITH or RETURN, with names; what is bound behind it."""
        kept, items = {}, []
        for name, kind in list(self.names.items()):
            if self.maybe(0.5) and (word == "WITH" or kind != "path"):
                kept[name] = kind
                items.append(name)
        for kind in ("integer", "text", "list"):
            if self.maybe(0.35) or (not items and kind == "list"):
                text = getattr(self, kind)()
                name = self.name(kind)
                kept[name] = kind
                items.append(f"{text} AS {name}")
        return kept, items

    def aggregated(self):
        """Items with aggregates."""
        kept, items = {}, []
        for kind in ("integer", "text"):
            if self.maybe(0.4):
                text = getattr(self, kind)(1)
                name = self.name(kind)
                kept[name] = kind
                items.append(f"{text} AS {name}")
        for _ in range(self.one(1, 1, 2)):
            text, kind = self.chance.choice([
                lambda: ("count(*)", "integer"),
                lambda: (f"count({self.one('', 'DISTINCT ')}{self.integer(1)})", "integer"),
                lambda: (f"sum({self.integer(1)})", "float"),
                lambda: (f"min({self.integer(1)})", "integer"),
                lambda: (f"max({self.text(1)})", "text"),
                lambda: (f"avg({self.float(1)})", "float"),
                lambda: (f"size(collect({self.one('', 'DISTINCT ')}{self.integer(1)}))", "integer"),
            ])()
            name = self.name(kind)
            kept[name] = kind
            items.append(f"{text} AS {name}")
        return kept, items

    def projection(self, word):
        grouped = self.maybe(0.3)
        kept, items = self.aggregated() if grouped else self.projected(word)
        distinct = "DISTINCT " if not grouped and self.maybe(0.2) else ""
        text = f"{word} {distinct}{', '.join(items)}"
        self.names = kept
        return text

    def rows(self):
        """Clauses up to a RETURN."""
        parts = []
        for _ in range(self.one(1, 1, 2, 2, 3)):
            self.optional = False
            parts.append(self.unwind() if self.maybe(0.2) else self.match())
            # FalkorDB wants a WITH between OPTIONAL MATCH and MATCH.
            if self.optional or self.maybe(0.25):
                parts.append(self.projection("WITH"))
                if self.maybe(0.4):
                    parts.append(f"WHERE {self.condition()}")
        return parts

    def reading(self):
        """A statement that reads, and whether the order of its rows is known."""
        return self.chance.choice([self.query] * 8 + [self.union, self.subquery, self.called])()

    def along(self):
        """A statement about paths of any length, or about what a node leads to."""
        length = self.one("*", "*1..", "*0..", "*2", "*..3", "*0..2", "*2..3")
        types = self.one("", ":R", ":R|S")
        # Behind paths of one length FalkorDB does not ask for the label.
        label = ":A" if length != "*2" else ""
        start, end = (f"({name}{self.one('', label, ' {id: 1}')})" for name in "ab")
        left, right = self.one(("-", "->"), ("<-", "-"))
        path = f"MATCH p = {start}{left}[{types}{length}]{right}{end}"
        pair = "MATCH (a {id: 0}), (b {id: 1}) WITH a, b"
        return self.one(
            f"{path} RETURN a.id, b.id, [r IN relationships(p) | r.id]",
            f"{path} RETURN [n IN nodes(p) | n.id], length(p)",
            f"{path} WHERE all(n IN nodes(p) WHERE n.x > 0) RETURN count(p)",
            f"{pair} RETURN length(shortestPath((a)-[{types}*]->(b)))",
            "MATCH (a), (b {id: 1}) WHERE a.id <> 1 "
            f"WITH a, shortestPath((a)-[{types}*1..3]->(b)) AS p RETURN a.id, length(p)",
            f"{pair} MATCH p = allShortestPaths((a)-[{types}*]->(b)) RETURN [n IN nodes(p) | n.id]",
            # Of two such lists FalkorDB finds the first.
            f"MATCH {start} RETURN a.id, "
            f"list.sort([(a)-[r{types}]->(c:A) WHERE c.x > 0 | c.id])",
            f"MATCH {start} RETURN a.id, size([(a)-[{types}]->(c) | c])",
            f"MATCH {start} RETURN a {{.id, .x, more: a.x + 1}}",
            f"MATCH {start} WHERE {self.one('', 'NOT ')}(a)-[{types}]->(:{self.one(*LABELS)}) "
            "RETURN a.id",
        ), False

    def called(self):
        """A procedure, and what of its rows does not depend on the order of equals. Names that the
        graph does not have are not drawn: where it knows none, FalkorDB takes the whole graph. Nor
        is algo.betweenness: it draws nodes, also where there are few, and gives some that no path
        leads through more than 0."""
        options = []
        for key, known in (("nodeLabels", self.labels), ("relationshipTypes", self.types)):
            if known and self.maybe(0.5):
                options.append(f"{key}: {self.chance.sample(sorted(known), 1)}")
        chosen = "{" + ", ".join(options) + "}"
        kind = f"'{self.chance.choice(sorted(self.types))}'" if self.types else "null"
        ends = "MATCH (a {id: 0}), (b {id: 1})" if self.maybe(0.5) else "MATCH (a), (b {id: 1})"
        way = self.one("incoming", "outgoing", "both")
        paths = (f"relDirection: '{way}', maxLen: {self.one(2, 3)}, pathCount: {self.one(1, 3)}"
                 f"{self.one('', ', weightProp: ' + repr('id'), ', costProp: ' + repr('id'))}")
        return self.one(
            f"CALL algo.WCC({chosen}) YIELD node, componentId RETURN node.id, componentId",
            # FalkorDB gives the only node of a graph a rank of 0.
            "CALL algo.pageRank(null, null) YIELD node, score WITH count(node) AS nodes, "
            "round(sum(score) * 100) AS scores WHERE nodes > 1 RETURN nodes, scores",
            f"MATCH (n) CALL algo.BFS(n, {self.one(1, 2, -1)}, {self.one('null', kind)}) "
            "YIELD nodes RETURN n.id, list.sort([x IN nodes | x.id])",
            f"CALL algo.MSF({chosen}) YIELD nodes, edges "
            "RETURN list.sort([x IN nodes | x.id]), size(edges)",
            f"{ends} CALL algo.SPpaths({{sourceNode: a, targetNode: b, {paths}}}) "
            "YIELD pathWeight RETURN a.id, pathWeight",
            f"MATCH (a) CALL algo.SSpaths({{sourceNode: a, {paths}}}) "
            "YIELD pathWeight RETURN a.id, pathWeight",
            "CALL db.labels() YIELD label RETURN label",
            "CALL db.relationshipTypes()", "CALL db.propertyKeys()", "CALL db.meta.stats()",
        ), False

    def union(self):
        """Two queries whose columns have the same names."""
        parts = []
        for _ in range(2):
            self.names = {}
            clauses = " ".join(self.rows())
            parts.append(f"{clauses} RETURN {self.integer(1)} AS one, {self.text(1)} AS two")
        return self.one(" UNION ", " UNION ALL ").join(parts), False

    def subquery(self):
        """A query for each row of another."""
        self.names = {}
        outer = " ".join(self.rows())
        if not self.names:
            return self.query()
        name, kind = self.chance.choice(list(self.names.items()))
        before, self.names = self.names, {name: kind}
        inner = f"WITH {name} {self.match()} RETURN {self.integer(1)} AS one"
        self.names = {**before, "one": "integer"}
        return f"{outer} CALL {{ {inner} }} {self.projection('RETURN')}", False

    def query(self):
        """One query, perhaps in order."""
        self.names = {}
        parts = [*self.rows(), self.projection("RETURN")]
        ordered = False
        if self.maybe(0.3):
            # By all columns, so that no two rows may change places.
            columns = [name for name in self.names]
            by = ", ".join(f"{name}{self.one('', ' DESC')}" for name in columns)
            parts.append(f"ORDER BY {by}")
            if not {"node", "edge", "path"} & set(self.names.values()):
                ordered = True
                if self.maybe(0.5):
                    parts.append(f"SKIP {self.one(0, 1, 2)}")
                if self.maybe(0.5):
                    parts.append(f"LIMIT {self.one(1, 2, 5)}")
        return " ".join(parts), ordered

    # Statements that change the graph.

    def entity_map(self):
        return self.entity(100 + self.chance.randrange(900))

    def found(self):
        """A match whose rows come in the order of one number, and what it binds."""
        self.names = {"m": "node"}
        label = f":{self.one(*LABELS)}" if self.maybe(0.4) else ""
        return f"MATCH (m{label}) WHERE m.id % {self.one(2, 3)} = {self.one(0, 1)}"

    def writing(self):
        self.names = {}
        return self.chance.choice([self.create, self.create, self.assign, self.assign, self.remove,
                                   self.delete, self.merge, self.merge, self.unwound,
                                   self.foreach])()

    def create(self):
        kind, label = self.one(*TYPES), self.one("", *(f":{label}" for label in LABELS))
        arrow = self.one(("-", "->"), ("<-", "-"))
        edge = f"{arrow[0]}[:{kind} {self.entity_map()}]{arrow[1]}"
        if self.maybe(0.4):
            return f"CREATE ({label} {self.entity_map()}){edge}({{id: {self.integer(0)}}})"
        return f"{self.found()} CREATE (m){edge}({label} {self.entity_map()})"

    def assign(self):
        text = self.found()
        item = self.chance.choice([
            lambda: f"m.x = {self.integer(1)}",
            lambda: f"m.s = {self.text(1)}",
            # FalkorDB stores no lists with null in them.
            lambda: f"m.l = {self.one('[1, 2]', '[]', 'tail(m.l)', 'range(0, 2)', 'null')}",
            lambda: "m.f = null",
            lambda: f"m += {{x: {self.integer(0)}, t: {self.text(0)}, s: null}}",
            lambda: f"m:{self.one(*LABELS)}",
            lambda: f"m.x = {self.integer(0)}, m.t = {self.text(0)}",
        ])()
        return f"{text} SET {item}"

    def remove(self):
        return f"{self.found()} REMOVE m{self.one('.x', '.s', '.l', ':A', ':B', ':C')}"

    def delete(self):
        if self.maybe(0.6):
            return f"MATCH (m)-[r]->() WHERE r.id % 5 = {self.one(0, 1, 2)} DELETE r"
        return f"MATCH (m) WHERE m.id % 7 = {self.one(0, 1, 2, 3)} DETACH DELETE m"

    def merge(self):
        kind, number = self.one(*TYPES), self.chance.randint(0, 5)
        label = self.one(*LABELS)
        if self.maybe(0.5):
            more = self.one("", f" ON CREATE SET m.x = {number}", " ON MATCH SET m.s = 'again'")
            return f"MERGE (m:{label} {{x: {number}}}){more}"
        text = self.found()
        return f"{text} MERGE (m)-[r:{kind}]->(o:{label} {{x: {number}}}) ON CREATE SET r.id = 77"

    def unwound(self):
        return (f"UNWIND range(1, {self.one(1, 2, 3)}) AS i "
                f"CREATE (:{self.one(*LABELS)} {{id: i + 1000, x: i * {self.one(1, 2)}}})")

    def foreach(self):
        return (f"{self.found()} FOREACH (i IN range(1, {self.one(1, 2)}) | "
                f"SET m.x = coalesce(m.x, 0) + i)")
