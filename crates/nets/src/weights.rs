//! A network's learned numbers by name, on the host: what files hold and the optimiser works on.

use std::collections::BTreeMap;

use burn::{
    module::{Module, ModuleMapper, ModuleVisitor, Param},
    tensor::{Gradients, Tensor, TensorData},
};

#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// Arrays by the path of their parameter, such as `blocks.0.attention.query.weight`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(pub BTreeMap<String, Array>);

impl Weights {
    pub fn of<M: Module>(module: &M) -> Weights {
        let mut reader = Reader { path: Path::default(), gradients: None, found: BTreeMap::new() };
        module.visit(&mut reader);
        Weights(reader.found)
    }

    /// The gradients of a module's parameters. A parameter that played no part has none.
    pub fn gradients<M: Module>(module: &M, gradients: &Gradients) -> Weights {
        let mut reader = Reader { path: Path::default(), gradients: Some(gradients), found: BTreeMap::new() };
        module.visit(&mut reader);
        Weights(reader.found)
    }

    /// Puts these numbers into a module whose parameters have the same names and shapes.
    pub fn install<M: Module>(&self, module: M) -> M {
        module.map(&mut Writer { path: Path::default(), weights: self })
    }

    /// What keeps these weights from fitting a network that has `wanted`, in words.
    pub fn misfit(&self, wanted: &Weights) -> Option<String> {
        for (name, array) in &wanted.0 {
            match self.0.get(name) {
                None => return Some(format!("`{name}` is missing")),
                Some(found) if found.shape != array.shape => {
                    return Some(format!("`{name}` has the shape {:?}, not {:?}", found.shape, array.shape));
                }
                Some(_) => {}
            }
        }
        let stranger = self.0.keys().find(|name| !wanted.0.contains_key(*name));
        stranger.map(|name| format!("`{name}` is not part of the network"))
    }

    /// These weights, and what a larger network has beyond them: arrays as they are there, rows at the end of a table as zeros, so
    /// that what they stand for says nothing to begin with.
    pub fn grown(mut self, larger: &Weights) -> Weights {
        for (name, array) in &larger.0 {
            let own = self.0.entry(name.clone()).or_insert_with(|| array.clone());
            if let ([rows, width], [more, same]) = (&own.shape[..], &array.shape[..])
                && rows < more
                && width == same
            {
                own.values.resize(array.values.len(), 0.0);
                own.shape.clone_from(&array.shape);
            }
        }
        self
    }

    pub fn count(&self) -> usize {
        self.0.values().map(|array| array.values.len()).sum()
    }
}

#[derive(Default)]
struct Path(Vec<String>);

impl Path {
    fn name(&self) -> String {
        self.0.join(".")
    }
}

struct Reader<'a> {
    path: Path,
    /// Read these in place of the values.
    gradients: Option<&'a Gradients>,
    found: BTreeMap<String, Array>,
}

impl ModuleVisitor for Reader<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.0.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.0.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = match self.gradients {
            None => Some(param.val()),
            Some(gradients) => param.val().grad(gradients),
        };
        if let Some(tensor) = tensor {
            let shape = tensor.dims().to_vec();
            self.found.insert(self.path.name(), Array { shape, values: values(tensor) });
        }
    }
}

/// A tensor's numbers on the host, row by row.
pub(crate) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("a tensor of f32")
}

struct Writer<'a> {
    path: Path,
    weights: &'a Weights,
}

impl ModuleMapper for Writer<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.0.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.0.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let array = &self.weights.0[&self.path.name()];
        param.map(|old| {
            let data = TensorData::new(array.values.clone(), array.shape.clone());
            let new = Tensor::from_data(data, &old.device());
            if old.is_require_grad() { new.require_grad() } else { new }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize, value: f32) -> Array {
        Array { shape: vec![rows, 2], values: vec![value; 2 * rows] }
    }

    fn weights(arrays: &[(&str, Array)]) -> Weights {
        Weights(arrays.iter().map(|(name, array)| ((*name).to_owned(), array.clone())).collect())
    }

    #[test]
    fn a_network_grows_by_arrays_as_they_are_and_by_rows_of_zeros() {
        let small = weights(&[("table", table(1, 3.0)), ("same", table(2, 4.0))]);
        let large = weights(&[("table", table(3, 9.0)), ("same", table(2, 9.0)), ("new", table(1, 9.0))]);
        let mut longer = table(3, 0.0);
        longer.values[..2].fill(3.0);
        let expected = weights(&[("table", longer), ("same", table(2, 4.0)), ("new", table(1, 9.0))]);
        assert_eq!(small.grown(&large), expected);
    }

    #[test]
    fn other_shapes_are_left_for_the_check_to_refuse() {
        let wide = Array { shape: vec![2, 3], values: vec![1.0; 6] };
        let small = weights(&[("table", table(1, 3.0))]);
        assert_eq!(small.clone().grown(&weights(&[("table", wide)])), small);
    }
}
