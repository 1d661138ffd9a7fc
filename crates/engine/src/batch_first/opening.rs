//! Which node's move is played next, and how sure it is that this will be needed.

use super::{
    node::{Edge, Moves, NONE},
    queue::{Open, Priority},
    visit::Known,
    walker::Walker,
};

impl Walker<'_> {
    /// Whether somebody still wants to know what comes of a visit.
    pub(super) fn is_live(&self, id: u32) -> bool {
        let mut node = self.node(id);
        loop {
            if node.closed {
                return false;
            }
            if node.parent == NONE {
                return true;
            }
            let parent = self.node(node.parent);
            if node.under != parent.visit {
                return false;
            }
            node = parent;
        }
    }

    /// Puts a node in the queue for its next move, if it has one to follow.
    pub(super) fn push(&mut self, id: u32) {
        let node = self.node(id);
        // A move that failed in this very visit is wanted again if it has risen in the order and deserves a deeper search now.
        let fresh = |(rank, edge): &(usize, &Edge)| {
            let child = (edge.child != NONE).then(|| self.node(edge.child));
            let under_way = child.is_some_and(|child| child.under == node.visit && !child.closed);
            !under_way && matches!(self.known(node, edge, *rank), Known::Nothing)
        };
        let from = usize::from(node.next);
        let next =
            node.edges.iter().enumerate().skip(from).find(fresh).map(|(rank, edge)| (rank, edge.score));
        let priority = match next {
            None if node.moves != Moves::Remembered => return,
            _ if self.narrow => Priority::Deepest(node.ply),
            None => Priority::Last,
            Some((0, _)) if node.hinted => Priority::Remembered,
            Some(_) if node.depth <= 0 => Priority::Forcing,
            Some((_, score)) => Priority::Score(score),
        };
        let len = node.edges.len();
        let level = self.doubt(id) + usize::from(self.doubt_of_next(id));
        self.tickets += 1;
        let open = Open { id, ticket: self.tickets };
        let node = self.node_mut(id);
        node.next = next.map_or(len, |(rank, _)| rank) as u16;
        node.ticket = open.ticket;
        self.queue.push(open, level, priority);
    }

    /// Moves under way that may well make another move of the node needless.
    pub(super) fn doubt_of_next(&self, id: u32) -> u16 {
        let node = self.node(id);
        if node.cuts { node.under_way } else { 0 }
    }

    /// The doubts of all moves that lead to a node.
    pub(super) fn doubt(&self, mut id: u32) -> usize {
        let mut doubt = 0;
        while id != NONE {
            let node = self.node(id);
            doubt += usize::from(node.doubt);
            id = node.parent;
        }
        doubt
    }

    /// After a move of an open node has failed, another is wanted for sure.
    pub(super) fn make_sure(&mut self, id: u32) {
        let node = self.node(id);
        if !node.cuts {
            return;
        }
        if node.under_way == 0 {
            return self.push(id);
        }
        let doubtful = |edge: &&Edge| {
            let child = (edge.child != NONE).then(|| self.node(edge.child));
            child.is_some_and(|child| child.under == node.visit && !child.closed && child.doubt > 0)
        };
        let children: Vec<u32> = node.edges.iter().filter(doubtful).map(|edge| edge.child).collect();
        for child in children {
            let waits = self.node(child).ticket != 0;
            self.node_mut(child).doubt -= 1;
            if waits {
                self.push(child);
            }
        }
    }

    /// Plays the next move of an open node.
    pub(super) fn follow(&mut self, id: u32) {
        let node = self.node(id);
        let rank = usize::from(node.next);
        let Some(&edge) = node.edges.get(rank) else { return self.ask_moves(id, Moves::All) };
        let child = match edge.child {
            NONE => {
                let m = edge.m.fit(&node.board.chess).expect("an edge's move fits its node");
                let child = self.tree.add_child(id, m);
                self.node_mut(id).edges[rank].child = child;
                child
            }
            child => child,
        };
        let node = self.node(id);
        let depth = self.first_depth(node, self.node(child), rank);
        self.node_mut(child).doubt = self.doubt_of_next(id);
        let node = self.node_mut(id);
        node.next += 1;
        node.under_way += 1;
        node.ticket = 0;
        self.push(id);
        self.enter(child, depth);
    }
}
